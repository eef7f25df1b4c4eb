package metrics

import (
	"cmp"
	"math"
	"slices"
)

// Holm adjusts the p-values of tests that are read together, so that the
// chance of even one false alarm among them stays below the level that the
// adjusted values are compared with (Holm, Scandinavian Journal of Statistics
// 6, 1979: step-down Bonferroni). The tests may depend on each other. NaN is
// no test: it stays NaN and does not count.
func Holm(p []float64) []float64 {
	adjusted := slices.Clone(p)
	var tests []int // from the smallest p-value up
	for i := range p {
		if !math.IsNaN(p[i]) {
			tests = append(tests, i)
		}
	}
	slices.SortStableFunc(tests, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	least := 0.0 // no test ends below one with a smaller p-value
	for rank, i := range tests {
		least = max(least, min(1, float64(len(tests)-rank)*p[i]))
		adjusted[i] = least
	}
	return adjusted
}
