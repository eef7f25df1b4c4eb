package portable_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"dgsbench/kernels/portable"
)

// In float64 the product is that of a loop over elements, to rounding.
func TestGemmFloat64(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	normal := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		return x
	}
	const m, n, k, pad = 7, 5, 9, 2
	for form := range 8 {
		g := portable.Gemm[float64]{
			M: m, N: n, K: k, LDA: k + pad, LDB: n + pad, LDC: n + pad,
			TransA: form&1 != 0, TransB: form&2 != 0, ReLU: form&4 != 0,
		}
		a, b := func(i, p int) int { return i*g.LDA + p }, func(p, j int) int { return p*g.LDB + j }
		if g.TransA {
			g.LDA = m + pad
			a = func(i, p int) int { return p*g.LDA + i }
		}
		if g.TransB {
			g.LDB = k + pad
			b = func(p, j int) int { return j*g.LDB + p }
		}
		g.A, g.B, g.C = normal(200), normal(200), normal(m*g.LDC)
		if form%3 == 0 {
			g.Bias = normal(n)
		}
		g.Run()
		for i := range m {
			for j := range n {
				want := 0.0
				for p := range k {
					want += g.A[a(i, p)] * g.B[b(p, j)]
				}
				if g.Bias != nil {
					want += g.Bias[j]
				}
				if g.ReLU {
					want = max(want, 0)
				}
				if got := g.C[i*g.LDC+j]; math.Abs(got-want) > 1e-13 {
					t.Errorf("form %d: C[%d,%d] = %v, want %v", form, i, j, got, want)
				}
			}
		}
	}
}
