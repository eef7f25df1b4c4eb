package portable_test

import (
	"fmt"
	"testing"

	"dgsbench/kernels"
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
				self, other, alpha, beta := random(rng, n), random(rng, n), random(rng, factors), random(rng, factors)
				m := &kernels.Mixture{Rows: rows, Cols: cols, Self: self, Other: other, Alpha: alpha, Beta: beta, PerRow: perRow}
				var e numbers
				if withE {
					e = random(rng, n)
					m.E = e
				}
				w, y := random(rng, n), zeros(n)
				loss := func() float64 {
					device.Mix(m, y)
					return weighted(w, y)
				}
				dself, dother, de, dalpha, dbeta := zeros(n), zeros(n), zeros(n), zeros(n), zeros(n)
				device.MixGrad(m, w, &kernels.MixtureGrad{Self: dself, Other: dother, E: de, Alpha: dalpha, Beta: dbeta})
				checkGradient(t, "self", self, dself, loss)
				checkGradient(t, "other", other, dother, loss)
				checkGradient(t, "e", e, de[:len(e)], loss)
				checkGradient(t, "alpha", alpha, folded(dalpha, factors), loss)
				checkGradient(t, "beta", beta, folded(dbeta, factors), loss)
			})
		}
	}
}

// folded is the sum of the rows of n numbers.
func folded(x []float64, n int) []float64 {
	out := zeros(n)
	device.ColumnSums(len(x)/n, n, out, numbers(x))
	return out
}

// TestMixOfTheEnds: factors of zero and one pass one of the three on as it
// is.
func TestMixOfTheEnds(t *testing.T) {
	m := &kernels.Mixture{
		Rows: 1, Cols: 3, Self: numbers{.1, .1, .1}, Other: numbers{.2, .2, .2}, E: numbers{.3, .3, .3},
		Alpha: numbers{.7, 1, 0}, Beta: numbers{1, 0, 0},
	}
	y := zeros(3)
	device.Mix(m, y)
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
