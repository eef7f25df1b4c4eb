package results

import (
	"slices"

	"dgsbench/metrics"
)

// ranks gives each value its rank, 1 for the best; equal values share the
// average of their ranks.
func ranks(values []float64, higherIsBetter bool) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		var better, level int32
		for j, other := range values {
			switch {
			case i == j:
			case other == v:
				level++
			case (other > v) == higherIsBetter:
				better++
			}
		}
		out[i] = metrics.Rank(better, level)
	}
	return out
}

// places marks the best values and those that come next. A single value has
// nothing to be better than and stays without a place.
func places(values []float64, higherIsBetter bool) []Place {
	out := make([]Place, len(values))
	distinct := slices.Compact(slices.Sorted(slices.Values(values)))
	if higherIsBetter {
		slices.Reverse(distinct)
	}
	if len(values) < 2 {
		return out
	}
	for i, v := range values {
		switch slices.Index(distinct, v) {
		case 0:
			out[i] = Best
		case 1:
			out[i] = Second
		}
	}
	return out
}
