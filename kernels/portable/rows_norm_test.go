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

func TestBatchNormGrad(t *testing.T) {
	const n = normRows * normCols
	rng, k := newRand(5), portable.Go[float64]()
	x, scale, shift, w := random(rng, n), random(rng, normCols), random(rng, normCols), random(rng, n)
	y, hat := make([]float64, n), make([]float64, n)
	mean, variance, inverse := make([]float64, normCols), make([]float64, normCols), make([]float64, normCols)
	loss := func() float64 {
		k.BatchNorm(y, hat, mean, variance, inverse, x, scale, shift, normRows, normEps)
		return weighted(w, y)
	}
	loss()
	dx, dscale, dshift := make([]float64, n), make([]float64, normCols), make([]float64, normCols)
	k.BatchNormGrad(dx, dscale, dshift, w, hat, inverse, scale, normRows)
	checkGradient(t, "x", x, dx, loss)
	checkGradient(t, "scale", scale, dscale, loss)
	checkGradient(t, "shift", shift, dshift, loss)

	loss()
	fixed := make([]float64, n)
	k.BatchNormFixed(fixed, mean, inverse, x, scale, shift, normRows)
	for i, v := range fixed {
		if diff := v - y[i]; diff > 1e-12 || diff < -1e-12 {
			t.Fatalf("element %d: %v with the batch's own mean and variance, %v with them given", i, y[i], v)
		}
	}
}
