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

// walk visits the thresholds from the top. at is the number of events of
// either class that score exactly there, and above of those that score
// higher. It returns the number of all events of either class.
func (c curve) walk(weights []int32, visit func(at, above [2]int64)) (total [2]int64) {
	var at [2]int64
	for _, p := range c {
		at[p.label] += int64(weightOf(weights, int(p.event)))
		if !p.last {
			continue
		}
		if at != [2]int64{} {
			visit(at, total)
		}
		total[0] += at[0]
		total[1] += at[1]
		at = [2]int64{}
	}
	return total
}

// prepareAUC is the probability that a random positive scores above a
// random negative, ties counting half (mid-ranks).
func prepareAUC(f Facts) Weighted {
	c := newCurve(f)
	return func(weights []int32) float64 {
		// Twice the number of pairs in the right order stays an integer.
		var pairs int64
		n := c.walk(weights, func(at, above [2]int64) {
			pairs += at[0] * (2*above[1] + at[1])
		})
		if n[0] == 0 || n[1] == 0 {
			return math.NaN()
		}
		return float64(pairs) / 2 / float64(n[0]) / float64(n[1])
	}
}

// prepareAP is the average precision: the sum over thresholds, from the top,
// of the gain in recall times the precision there, without interpolation.
// (The definition of scikit-learn's average_precision_score.)
func prepareAP(f Facts) Weighted {
	c := newCurve(f)
	return func(weights []int32) float64 {
		sum := 0.0
		n := c.walk(weights, func(at, above [2]int64) {
			if at[1] > 0 {
				hits := at[1] + above[1]
				sum += float64(at[1]) * float64(hits) / float64(hits+at[0]+above[0])
			}
		})
		if n[0] == 0 || n[1] == 0 {
			return math.NaN()
		}
		return sum / float64(n[1])
	}
}
