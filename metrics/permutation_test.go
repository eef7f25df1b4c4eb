package metrics_test

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"dgsbench/metrics"
)

func permutationTest(a, b []float64) float64 {
	return metrics.PermutationTest(a, b, 20_000, rand.New(rand.NewPCG(1, 2)))
}

func TestPermutationTestKnownValues(t *testing.T) {
	ten, above := make([]float64, 10), make([]float64, 10)
	for i := range ten {
		ten[i], above[i] = float64(i), float64(i+10)
	}
	for _, c := range []struct {
		name string
		a, b []float64
		want float64
	}{
		{"apart, three and three", []float64{1, 2, 3}, []float64{4, 5, 6}, 2. / 20},
		{"apart, ten and ten", ten, above, 2. / 184_756},
		{"one and one", []float64{1}, []float64{2}, 1},
		{"one and three", []float64{9}, []float64{1, 2, 3}, 1. / 4},
		{"all level", []float64{.1, .1, .1}, []float64{.1, .1, .1}, 1},
		{"level but for rounding", []float64{.1 + .2, .3}, []float64{.3, .1 + .2}, 1},
		// Only {.1 .2 .3} is further out; each of the two has a complement.
		{"next to the end", []float64{.1, .2, .4}, []float64{.3, .5, .6}, 4. / 20},
		{"nothing", nil, []float64{1}, math.NaN()},
		{"not a number", []float64{1, math.NaN()}, []float64{1, 2}, math.NaN()},
		{"infinite", []float64{1, 2}, []float64{1, math.Inf(1)}, math.NaN()},
	} {
		if got := permutationTest(c.a, c.b); !same(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

// bruteForce counts over all bit masks with exact integers.
func bruteForce(values []int64, first int) float64 {
	n := len(values)
	var total int64
	for _, v := range values {
		total += v
	}
	difference := func(mask uint) int64 { // of the means, times both sizes
		var sum int64
		for i, v := range values {
			if mask>>i&1 == 1 {
				sum += v
			}
		}
		d := sum*int64(n-first) - (total-sum)*int64(first)
		return max(d, -d)
	}
	observed := difference(1<<first - 1)
	hits, splits := 0, 0
	for mask := range uint(1) << n {
		if bits.OnesCount(mask) != first {
			continue
		}
		splits++
		if difference(mask) >= observed {
			hits++
		}
	}
	return float64(hits) / float64(splits)
}

func TestPermutationTestAgreesWithBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// Hundredths are not binary fractions: their sums round.
		whole := rapid.SliceOfN(rapid.Int64Range(0, 12), 2, 12).Draw(t, "hundredths")
		first := rapid.IntRange(1, len(whole)-1).Draw(t, "size of the first group")
		shift := rapid.Float64Range(0, 1000).Draw(t, "shift")
		values := make([]float64, len(whole))
		for i, w := range whole {
			values[i] = shift + float64(w)/100
		}
		want := bruteForce(whole, first)
		if got := permutationTest(values[:first], values[first:]); !same(got, want) {
			t.Fatalf("%v | %v: got %v, want %v", values[:first], values[first:], got, want)
		}
		if got := permutationTest(values[first:], values[:first]); !same(got, want) {
			t.Fatalf("groups swapped: got %v, want %v", got, want)
		}
	})
}

// With more splits than it tries one by one, the test draws. The distance
// from a t-test's p-value is bounded by the error of the draws and of the
// normal approximation.
func TestPermutationTestDraws(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	a, b := make([]float64, 20), make([]float64, 20)
	for i := range a {
		a[i], b[i] = rng.NormFloat64(), 0.6+rng.NormFloat64()
	}
	got := permutationTest(a, b)
	z := (stat.Mean(b, nil) - stat.Mean(a, nil)) / math.Sqrt((stat.Variance(a, nil)+stat.Variance(b, nil))/20)
	if want := math.Erfc(math.Abs(z) / math.Sqrt2); math.Abs(got-want) > 0.02 {
		t.Errorf("p = %.4f, normal approximation %.4f", got, want)
	}
	if again := permutationTest(a, b); again != got {
		t.Errorf("%v and %v with the same random numbers", got, again)
	}
	for i := range b {
		b[i] += 100
	}
	if got, want := permutationTest(a, b), 1./20_001; !same(got, want) {
		t.Errorf("far apart: p = %v, want the smallest possible, %v", got, want)
	}
}

// The first draw is as likely to hit as any other one: it does not remember
// how the values were given.
func TestPermutationTestFirstDraw(t *testing.T) {
	a, b := make([]float64, 12), make([]float64, 12)
	for i := range 10 {
		a[i] = 1
	}
	b[0], b[1] = 1, 1
	const times = 100_000
	share := metrics.PermutationTest(a, b, 200_000, rand.New(rand.NewPCG(5, 6)))
	hits := 0.0
	for seed := range uint64(times) {
		hits += 2*metrics.PermutationTest(a, b, 1, rand.New(rand.NewPCG(seed, 7))) - 1
	}
	if got := hits / times; math.Abs(got-share) > 5*math.Sqrt(share*(1-share)/times) {
		t.Errorf("the first draw hits in %.4f of the tests, all draws in %.4f", got, share)
	}
}

// Under the hypothesis, p-values are at most as often below a level as the
// level says.
func TestPermutationTestHoldsItsLevel(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const rounds = 4000
	below := 0
	for range rounds {
		a, b := make([]float64, 5), make([]float64, 5)
		for i := range a {
			a[i], b[i] = rng.ExpFloat64(), rng.ExpFloat64()
		}
		if permutationTest(a, b) <= 0.05 {
			below++
		}
	}
	// Three standard errors above the level.
	if share := float64(below) / rounds; share > 0.05+3*math.Sqrt(.05*.95/rounds) || share < 0.03 {
		t.Errorf("%.4f of the p-values are at most .05", share)
	}
}
