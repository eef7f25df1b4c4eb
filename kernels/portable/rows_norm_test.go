package portable_test

import "testing"

const (
	normRows, normCols = 4, 6
	normEps            = 1e-5
)

func TestLayerNormGrad(t *testing.T) {
	const n = normRows * normCols
	rng := newRand(4)
	x, scale, shift, w := random(rng, n), random(rng, normCols), random(rng, normCols), random(rng, n)
	y, hat, inverse := zeros(n), zeros(n), zeros(normRows)
	loss := func() float64 {
		device.LayerNorm(normRows, normCols, normEps, y, hat, inverse, x, scale, shift)
		return weighted(w, y)
	}
	loss()
	dx, dscale, dshift := zeros(n), zeros(normCols), zeros(normCols)
	device.LayerNormGrad(normRows, normCols, dx, dscale, dshift, w, hat, inverse, scale)
	checkGradient(t, "x", x, dx, loss)
	checkGradient(t, "scale", scale, dscale, loss)
	checkGradient(t, "shift", shift, dshift, loss)
}
