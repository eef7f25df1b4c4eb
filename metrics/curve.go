package metrics

import (
	"cmp"
	"math"
	"slices"
)

// curve holds the labelled events from the highest score down. Events of
// equal score share one threshold: they are taken together.
type curve []point

type point struct {
	event int32
	label int8
	last  bool // of its threshold
}

func newCurve(f Facts) curve {
	c := make(curve, 0, len(f.Label))
	for k, label := range f.Label {
		if label >= 0 {
			c = append(c, point{event: int32(k), label: label})
		}
	}
	slices.SortFunc(c, func(a, b point) int {
		if order := cmp.Compare(f.Score[b.event], f.Score[a.event]); order != 0 {
			return order
		}
		return cmp.Compare(a.event, b.event)
	})
	for i := range c {
		c[i].last = i == len(c)-1 || f.Score[c[i].event] != f.Score[c[i+1].event]
	}
	return c
}

// prepareAUC prepares the probability that a random positive scores above a
// random negative, ties counting half (mid-ranks).
func prepareAUC(f Facts) Weighted {
	c := newCurve(f)
	return func(weights []int32) float64 {
		if weights == nil {
			weights = slices.Repeat([]int32{1}, len(f.Label))
		}
		var at, above [2]int64 // events of either class, at a threshold and above it
		var pairs int64        // twice the number of correctly ordered pairs, so that ties are whole numbers
		for _, p := range c {
			at[p.label] += int64(weights[p.event])
			if p.last {
				pairs += at[0] * (2*above[1] + at[1])
				above[0], above[1] = above[0]+at[0], above[1]+at[1]
				at = [2]int64{}
			}
		}
		if above[0] == 0 || above[1] == 0 {
			return math.NaN()
		}
		return float64(pairs) / 2 / float64(above[0]) / float64(above[1])
	}
}

// prepareAP prepares the average precision: the sum over thresholds, from the top,
// of the gain in recall times the precision there, without interpolation.
// (The definition of scikit-learn's average_precision_score.)
func prepareAP(f Facts) Weighted {
	c := newCurve(f)
	return func(weights []int32) float64 {
		if weights == nil {
			weights = slices.Repeat([]int32{1}, len(f.Label))
		}
		var at, above [2]int64 // events of either class, at a threshold and above it
		sum := 0.0
		for _, p := range c {
			at[p.label] += int64(weights[p.event])
			if !p.last {
				continue
			}
			above[0], above[1] = above[0]+at[0], above[1]+at[1]
			if at[1] > 0 {
				sum += float64(at[1]) * float64(above[1]) / float64(above[0]+above[1])
			}
			at = [2]int64{}
		}
		if above[0] == 0 || above[1] == 0 {
			return math.NaN()
		}
		return sum / float64(above[1])
	}
}
