package portable_test

import (
	"fmt"
	"testing"

	"dgsbench/kernels/portable"
)

func TestMixGrad(t *testing.T) {
	const rows, cols = 3, 5
	for _, withE := range []bool{true, false} {
		for _, perRow := range []bool{true, false} {
			t.Run(fmt.Sprintf("e %t, factors per row %t", withE, perRow), func(t *testing.T) {
				rng := newRand(1)
				n, factors := rows*cols, cols
				if perRow {
					factors = n
				}
				m := &portable.Mixture[float64]{
					Cols: cols, Self: random(rng, n), Other: random(rng, n),
					Alpha: random(rng, factors), Beta: random(rng, factors), PerRow: perRow,
				}
				if withE {
					m.E = random(rng, n)
				}
				checkMixGrad(t, m, random(rng, n))
			})
		}
	}
}

func checkMixGrad(t *testing.T, m *portable.Mixture[float64], w []float64) {
	y := make([]float64, len(w))
	loss := func() float64 {
		goKernels.Mix(y, m)
		return weighted(w, y)
	}
	part := func() []float64 { return make([]float64, len(w)) }
	d := &portable.MixtureGrad[float64]{Self: part(), Other: part(), E: part(), Alpha: part(), Beta: part()}
	goKernels.MixGrad(d, m, w)
	checkGradient(t, "self", m.Self, d.Self, loss)
	checkGradient(t, "other", m.Other, d.Other, loss)
	checkGradient(t, "e", m.E, d.E[:len(m.E)], loss)
	checkGradient(t, "alpha", m.Alpha, folded(d.Alpha, len(m.Alpha)), loss)
	checkGradient(t, "beta", m.Beta, folded(d.Beta, len(m.Beta)), loss)
}

// folded is the sum of the rows of n numbers.
func folded(x []float64, n int) []float64 {
	out := make([]float64, n)
	goKernels.AddColumnSums(out, x, len(x)/n)
	return out
}

// TestMixOfTheEnds: factors of zero and one pass one of the three on as it
// is.
func TestMixOfTheEnds(t *testing.T) {
	m := &portable.Mixture[float64]{
		Cols: 3, Self: []float64{.1, .1, .1}, Other: []float64{.2, .2, .2}, E: []float64{.3, .3, .3},
		Alpha: []float64{.7, 1, 0}, Beta: []float64{1, 0, 0},
	}
	y := make([]float64, 3)
	goKernels.Mix(y, m)
	for i, want := range []float64{.1, .2, .3} {
		if y[i] != want {
			t.Errorf("column %d is %v, want %v", i, y[i], want)
		}
	}
}

func TestSigmoidGrad(t *testing.T) {
	rng := newRand(1)
	x, w, y, dx := random(rng, 9), random(rng, 9), make([]float64, 9), make([]float64, 9)
	loss := func() float64 {
		goKernels.Sigmoid(y, x)
		return weighted(w, y)
	}
	loss()
	goKernels.SigmoidGrad(dx, w, y)
	checkGradient(t, "x", x, dx, loss)
}
