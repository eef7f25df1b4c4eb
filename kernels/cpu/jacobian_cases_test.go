package cpu_test

import (
	"math/rand/v2"

	"pgregory.net/rapid"

	"dgsbench/kernels/devicetest"
)

// drawJacobianCase draws sizes around those of the vectors.
func drawJacobianCase(t *rapid.T, number func(rng *rand.Rand) float32) devicetest.JacobianCase {
	lanes, features := rapid.IntRange(0, 45).Draw(t, "lanes"), rapid.IntRange(0, 40).Draw(t, "features")
	slots, steps := rapid.IntRange(1, 12).Draw(t, "slots"), rapid.IntRange(1, 4).Draw(t, "steps")
	rng := newRand(rapid.Uint64().Draw(t, "seed"))
	return devicetest.NewJacobianCase(rng, lanes, features, slots, steps, func() float32 { return number(rng) })
}
