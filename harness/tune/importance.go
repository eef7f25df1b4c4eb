package tune

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"dgsbench/harness/tune/tpe"
	"dgsbench/specs"
)

// Importance is how much of the variance of the value, over the whole search
// space, a parameter explains by itself. What is missing to 1 is explained by
// parameters together.
type Importance struct {
	Parameter specs.Parameter
	Share     float64 // 0 to 1
}

const (
	numTrees     = 64
	fewestTrials = 10 // for importances
)

// Importances returns those of the parameters that were searched, the highest
// first: functional analysis of variance over regression trees (Hutter et al.
// 2014, "An Efficient Approach for Assessing Hyperparameter Importance"), over the
// space, not over the trials, which stay where values are high. It is nil with
// fewer than ten trials that succeeded, or when all of them have the same value.
func (h *History) Importances() []Importance {
	space := h.Study.space()
	var samples []sample
	for _, l := range h.trials() {
		if t, err := h.samplerTrial(l); err == nil && !l.Failed() {
			samples = append(samples, sample{unit(space, t.Point), t.Value})
		}
	}
	if len(samples) < fewestTrials {
		return nil
	}
	shares := explained(samples, h.Study.Seed)
	var out []Importance
	for i, p := range h.Study.params {
		if len(p.Choices) != 1 && shares != nil {
			out = append(out, Importance{p, shares[i]})
		}
	}
	slices.SortStableFunc(out, func(a, b Importance) int { return cmp.Compare(b.Share, a.Share) })
	return out
}

// unit maps a point to the unit cube, on the scales of its parameters.
func unit(space []tpe.Param, point tpe.Point) []float64 {
	out := make([]float64, len(point))
	for i, p := range space {
		switch {
		case p.Choices > 0:
			out[i] = (point[i] + 0.5) / float64(p.Choices)
		case p.Log:
			out[i] = math.Log(point[i]/p.Low) / math.Log(p.High/p.Low)
		default:
			out[i] = (point[i] - p.Low + p.Step/2) / (p.High - p.Low + p.Step)
		}
	}
	return out
}

// explained returns each dimension's share of the variance, as a mean over trees
// that are grown on bootstrap samples; nil if no tree has any variance.
func explained(samples []sample, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, numTrees))
	sums := make([]float64, len(samples[0].at))
	trees := 0.0
	for range numTrees {
		boxes := grow(bootstrap(rng, samples))
		mean, variance := moments(boxes)
		if variance <= 1e-18 {
			continue
		}
		trees++
		for i := range sums {
			sums[i] += marginal(boxes, i, mean) / variance
		}
	}
	if trees == 0 {
		return nil
	}
	for i := range sums {
		sums[i] /= trees
	}
	return sums
}

// moments returns mean and variance of a tree over the unit cube.
func moments(boxes []box) (mean, variance float64) {
	for _, b := range boxes {
		mean += b.volume() * b.value
	}
	for _, b := range boxes {
		variance += b.volume() * (b.value - mean) * (b.value - mean)
	}
	return mean, variance
}

// marginal returns the variance of the tree's mean over all other dimensions.
func marginal(boxes []box, axis int, mean float64) float64 {
	var ends []float64
	for _, b := range boxes {
		ends = append(ends, b.low[axis], b.high[axis])
	}
	slices.Sort(ends)
	ends = slices.Compact(ends)
	variance := 0.0
	for i := 1; i < len(ends); i++ {
		middle, there := (ends[i-1]+ends[i])/2, 0.0
		for _, b := range boxes {
			if b.low[axis] < middle && middle < b.high[axis] {
				there += b.volume() / (b.high[axis] - b.low[axis]) * b.value
			}
		}
		variance += (ends[i] - ends[i-1]) * (there - mean) * (there - mean)
	}
	return variance
}

func (b box) volume() float64 {
	v := 1.0
	for i := range b.low {
		v *= b.high[i] - b.low[i]
	}
	return v
}

// sample is a trial: each parameter from 0 to 1 over its range, and the value.
type sample struct {
	at    []float64
	value float64
}

// box is a leaf of a regression tree, a part of the unit cube.
type box struct {
	low, high []float64
	value     float64
}

// grow cuts the unit cube into boxes: each time where the values of the two
// sides differ most, until no side can be cut.
func grow(samples []sample) []box {
	d := len(samples[0].at)
	return cut(box{low: make([]float64, d), high: slices.Repeat([]float64{1}, d)}, samples)
}

func cut(b box, samples []sample) []box {
	axis, at, ok := bestCut(samples)
	if !ok {
		b.value = meanOf(samples)
		return []box{b}
	}
	left, right := b, b
	left.high, right.low = slices.Clone(b.high), slices.Clone(b.low)
	left.high[axis], right.low[axis] = at, at
	var sides [2][]sample
	for _, s := range samples {
		side := 0
		if s.at[axis] > at {
			side = 1
		}
		sides[side] = append(sides[side], s)
	}
	return append(cut(left, sides[0]), cut(right, sides[1])...)
}

// bestCut returns where the squared distances of the values to the means of
// their sides are least. A side has at least two samples.
func bestCut(samples []sample) (axis int, at float64, ok bool) {
	best := 0.0
	mean := meanOf(samples)
	for a := range samples[0].at {
		sorted := slices.Clone(samples)
		slices.SortStableFunc(sorted, func(x, y sample) int { return cmp.Compare(x.at[a], y.at[a]) })
		sum := 0.0 // of the left side, from the mean of all
		for i := 1; i < len(sorted); i++ {
			sum += sorted[i-1].value - mean
			x, y := sorted[i-1].at[a], sorted[i].at[a]
			if x == y || i < 2 || len(sorted)-i < 2 {
				continue
			}
			gain := sum*sum/float64(i) + sum*sum/float64(len(sorted)-i)
			if gain > best {
				axis, at, best, ok = a, (x+y)/2, gain, true
			}
		}
	}
	return axis, at, ok
}

func meanOf(samples []sample) float64 {
	sum := 0.0
	for _, s := range samples {
		sum += s.value
	}
	return sum / float64(len(samples))
}

// bootstrap draws as many samples, with replacement.
func bootstrap(rng *rand.Rand, samples []sample) []sample {
	out := make([]sample, len(samples))
	for i := range out {
		out[i] = samples[rng.IntN(len(samples))]
	}
	return out
}
