package tpe

import (
	"math"
	"math/rand/v2"
	"slices"

	"dgsbench/internal/lists"
)

// priorWeight is what the prior counts as, in observations: a wide normal
// around the middle, or all choices alike.
const priorWeight = 1

// recent is how many observations count fully; older ones count less.
const recent = 25

// density is an estimate of where values lie.
type density interface {
	draw(*rand.Rand) float64
	at(value float64) float64
}

// density estimates it from observations, in the order of their trials.
func (p Param) density(values []float64) density {
	if p.Choices > 0 {
		return newChances(p.Choices, values)
	}
	return newMixture(p, values)
}

// weights returns those of n observations, the oldest first, and of the prior;
// they sum to 1. The recent ones weigh the same, those before from 1/n up to
// that.
func weights(n int) []float64 {
	out := make([]float64, n+1)
	sum := 0.0
	for i := range out {
		out[i] = 1
		if old := n - recent; i < old {
			first := 1 / float64(n)
			out[i] = first + (1-first)*float64(i)/float64(max(1, old-1))
		}
		if i == n {
			out[i] = priorWeight
		}
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}

// mixture is a sum of normals, cut off at the ends of the parameter.
type mixture struct {
	param      Param
	low        float64
	weights    []float64
	mean, wide []float64
	inside     []float64 // the share of each normal that is between the ends
}

func newMixture(p Param, values []float64) *mixture {
	low, high := p.ends()
	m := &mixture{param: p, low: low, weights: weights(len(values))}
	m.mean = append(lists.Map(values, p.inside), (low+high)/2)
	m.wide = bandwidths(m.mean, low, high)
	m.wide[len(values)] = high - low
	for k := range m.mean {
		m.inside = append(m.inside, m.below(k, high)-m.below(k, low))
	}
	return m
}

// bandwidths returns the distances to the farther neighbour, within bounds: not
// below a share of the range that falls with the number of observations (the
// "magic clip"). The ends of the range are no neighbours of the outermost two.
func bandwidths(mean []float64, low, high float64) []float64 {
	sorted := slices.Sorted(slices.Values(mean))
	span := high - low
	least := span / min(100, 1+float64(len(mean)))
	out := make([]float64, len(mean))
	for i, m := range mean {
		at, _ := slices.BinarySearch(sorted, m)
		for _, x := range mean[:i] { // equal ones are each other's neighbours
			if x == m {
				at++
			}
		}
		left, right := 0.0, 0.0
		if at > 0 {
			left = m - sorted[at-1]
		}
		if at < len(sorted)-1 {
			right = sorted[at+1] - m
		}
		out[i] = min(max(left, right, least), span)
	}
	return out
}

// draw picks a normal and inverts its distribution function between the ends.
func (m *mixture) draw(rng *rand.Rand) float64 {
	k := pick(rng, m.weights)
	u := m.below(k, m.low) + rng.Float64()*m.inside[k]
	return m.param.outside(m.mean[k] + m.wide[k]*math.Sqrt2*math.Erfinv(2*u-1))
}

// at returns the density on the scale of the parameter, or with steps the
// probability of the value; above 0, as the prior is everywhere.
func (m *mixture) at(value float64) float64 {
	x, sum := m.param.inside(value), 0.0
	for k, w := range m.weights {
		if half := m.param.Step / 2; half > 0 {
			sum += w * (m.below(k, x+half) - m.below(k, x-half)) / m.inside[k]
			continue
		}
		z := (x - m.mean[k]) / m.wide[k]
		sum += w * math.Exp(-z*z/2) / (math.Sqrt(2*math.Pi) * m.wide[k]) / m.inside[k]
	}
	return sum
}

// below returns the k-th normal's distribution function.
func (m *mixture) below(k int, x float64) float64 {
	return math.Erfc((m.mean[k]-x)/(m.wide[k]*math.Sqrt2)) / 2
}

// chances are those of the choices.
type chances []float64

// newChances adds up the weights of each choice's observations and, for all
// choices alike, that of the prior.
func newChances(choices int, values []float64) chances {
	out := make(chances, choices)
	w := weights(len(values))
	share := priorWeight / float64(len(values)+1)
	whole := 1 + share*float64(choices)
	for i, v := range values {
		for c := range out {
			out[c] += w[i] * share / whole
		}
		out[int(v)] += w[i] / whole
	}
	for c := range out {
		out[c] += w[len(values)] / float64(choices)
	}
	return out
}

func (c chances) draw(rng *rand.Rand) float64 { return float64(pick(rng, c)) }

func (c chances) at(value float64) float64 { return c[int(value)] }

// pick draws an index by weights that sum to 1.
func pick(rng *rand.Rand, weights []float64) int {
	u := rng.Float64()
	for i, w := range weights {
		if u -= w; u < 0 {
			return i
		}
	}
	return len(weights) - 1
}
