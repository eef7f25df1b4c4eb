package portable_test

import (
	"testing"

	"dgsbench/kernels/portable"
)

const (
	normRows, normCols = 4, 6
	normEps            = 1e-5
)

func TestLayerNormGrad(t *testing.T) {
	const n = normRows * normCols
	rng, k := newRand(4), portable.Go[float64]()
	x, scale, shift, w := random(rng, n), random(rng, normCols), random(rng, normCols), random(rng, n)
	y, hat, inverse := make([]float64, n), make([]float64, n), make([]float64, normRows)
	loss := func() float64 {
		k.LayerNorm(y, hat, inverse, x, scale, shift, normEps)
		return weighted(w, y)
	}
	loss()
	dx, dscale, dshift := make([]float64, n), make([]float64, normCols), make([]float64, normCols)
	k.LayerNormGrad(dx, dscale, dshift, w, hat, inverse, scale)
	checkGradient(t, "x", x, dx, loss)
	checkGradient(t, "scale", scale, dscale, loss)
	checkGradient(t, "shift", shift, dshift, loss)
}
