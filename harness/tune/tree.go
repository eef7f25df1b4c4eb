package tune

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// sample is a trial as the trees see it: each parameter from 0 to 1 over its
// range, and the value.
type sample struct {
	at    []float64
	value float64
}

// box is a leaf of a regression tree: the part of the unit cube that it
// covers, and its value.
type box struct {
	low, high []float64
	value     float64
}

// fewest is how many samples a leaf has at least.
const fewest = 2

// grow cuts the unit cube into boxes: each time where the values of the two
// sides differ most, until no side can be cut.
func grow(samples []sample) []box {
	d := len(samples[0].at)
	whole := box{low: make([]float64, d), high: slices.Repeat([]float64{1}, d)}
	return cut(whole, samples)
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
	isRight := func(s sample) bool { return s.at[axis] > at }
	isLeft := func(s sample) bool { return s.at[axis] <= at }
	return append(
		cut(left, slices.DeleteFunc(slices.Clone(samples), isRight)),
		cut(right, slices.DeleteFunc(slices.Clone(samples), isLeft))...)
}

// bestCut is where the squared distances of the values to the means of their
// sides are least.
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
			if x == y || i < fewest || len(sorted)-i < fewest {
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
