package metrics

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/combin"
)

// maxSplits is the largest number of splits of which the permutation test tries
// all. Twice ten seeds split in 184,756 ways.
const maxSplits = 200_000

// roundOff is the error of a sum relative to the sum of absolute values:
// differences that are no further apart count as equal.
const roundOff = 1e-12

// PermutationTest returns the two-sided p-value of the hypothesis that a and b,
// such as the values of two sets of seeds, are of one distribution: the share
// of the splits of all values into groups of the same sizes whose means differ at
// least as much as those of a and b. Splits that equal the observed one up to
// rounding count in full. If there are more than 200,000 splits, it draws some
// from rng and returns (1+hits)/(1+draws), which is never 0; rng is not used
// otherwise. The result is NaN if a group is empty or a value is not finite.
func PermutationTest(a, b []float64, draws int, rng *rand.Rand) float64 {
	all := slices.Concat(a, b)
	mean := stat.Mean(all, nil)
	if len(a) == 0 || len(b) == 0 || math.IsNaN(mean) || math.IsInf(mean, 0) {
		return math.NaN()
	}
	// Sums of centred values: the means of the groups differ by the sum of
	// the first times 1/len(a) + 1/len(b), so the sums can be compared.
	level := math.Abs(floats.Sum(a)-float64(len(a))*mean) - roundOff*floats.Norm(all, 1)
	floats.AddConst(-mean, all)
	hit := func(group []int) bool {
		sum := 0.0
		for _, i := range group {
			sum += all[i]
		}
		return math.Abs(sum) >= level
	}
	if combin.GeneralizedBinomial(float64(len(all)), float64(len(a))) < maxSplits+0.5 {
		return shareOfAll(len(all), len(a), hit)
	}
	return shareOfDrawn(len(all), len(a), draws, rng, hit)
}

// shareOfAll tries every choice of k out of n values.
func shareOfAll(n, k int, hit func(group []int) bool) float64 {
	group := make([]int, k)
	hits, splits := 0, 0
	for g := combin.NewCombinationGenerator(n, k); g.Next(); splits++ {
		if hit(g.Combination(group)) {
			hits++
		}
	}
	return float64(hits) / float64(splits)
}

func shareOfDrawn(n, k, draws int, rng *rand.Rand, hit func(group []int) bool) float64 {
	values := make([]int, n)
	for i := range values {
		values[i] = i
	}
	hits := 0
	for range draws {
		for i := range k { // the first k of a random order
			j := i + rng.IntN(n-i)
			values[i], values[j] = values[j], values[i]
		}
		if hit(values[:k]) {
			hits++
		}
	}
	return float64(1+hits) / float64(1+draws)
}
