package metrics_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"dgsbench/metrics"
)

// The values of R: p.adjust(p, method = "holm").
func TestHolm(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct{ p, want []float64 }{
		{nil, nil},
		{[]float64{0.03}, []float64{0.03}},
		{[]float64{0.01, 0.02, 0.03, 0.04}, []float64{0.04, 0.06, 0.06, 0.06}},
		{[]float64{0.04, 0.001, 0.3, 0.02}, []float64{0.08, 0.004, 0.3, 0.06}},
		{[]float64{0.5, 0.6, 0.0001}, []float64{1, 1, 0.0003}},
		{[]float64{nan, 0.02, nan, 0.01}, []float64{nan, 0.02, nan, 0.02}},
		{[]float64{0.01, 0.01, 0.01}, []float64{0.03, 0.03, 0.03}},
	} {
		got := metrics.Holm(c.p)
		if diff := cmp.Diff(c.want, got, cmpopts.EquateApprox(0, 1e-12), cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("%v (-want +got):\n%s", c.p, diff)
		}
	}
}

// pValues draws p-values, some of them equal, zero or missing.
func pValues(t *rapid.T) []float64 {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) float64 {
		v := rapid.IntRange(-1, 40).Draw(t, "fortieths")
		if v < 0 {
			return math.NaN()
		}
		return float64(v) / 40
	}), 0, 12).Draw(t, "p")
}

// holmByDefinition compares each p-value with every other one.
func holmByDefinition(p []float64, i int) float64 {
	adjusted := 0.0
	for j := range p { // the steps up to that of i
		if !(p[j] <= p[i]) {
			continue
		}
		atLeast := 0
		for _, q := range p {
			if q >= p[j] {
				atLeast++
			}
		}
		adjusted = max(adjusted, min(1, float64(atLeast)*p[j]))
	}
	return adjusted
}

func TestHolmProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := pValues(t)
		got := metrics.Holm(p)
		order := rapid.Permutation(indices(len(p))).Draw(t, "order")
		shuffled := make([]float64, len(p))
		for to, from := range order {
			shuffled[to] = p[from]
		}
		again := metrics.Holm(shuffled)
		for to, i := range order {
			if !same(again[to], got[i]) {
				t.Fatalf("value %v: %v in another order, %v in this", p[i], again[to], got[i])
			}
			if math.IsNaN(p[i]) != math.IsNaN(got[i]) {
				t.Fatalf("value %v became %v", p[i], got[i])
			}
			if !math.IsNaN(p[i]) && !same(got[i], holmByDefinition(p, i)) {
				t.Fatalf("%v of %v: %v, want %v", p[i], p, got[i], holmByDefinition(p, i))
			}
		}
	})
}

func indices(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
