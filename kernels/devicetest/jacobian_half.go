package devicetest

import (
	"math/rand/v2"
	"slices"
	"testing"

	"dgsbench/kernels"
	"dgsbench/kernels/portable"
)

// checkHalves: Jacobians that were made in one step from zeros are with Half
// those without it, each number rounded to the nearest bfloat16.
func checkHalves(t *testing.T, d kernels.Device) {
	rng := rand.New(rand.NewPCG(1, 2))
	// A product of two has up to ten bits, two more than are kept: some lie
	// between two bfloat16 numbers.
	draw := func() float32 { return 1 + float32(rng.IntN(16))/16 }
	c := NewJacobianCase(rng, 33, 17, 20, 1, draw)
	whole, half := c.Run(d, false), c.Run(d, true)
	if slices.Equal(whole, half) {
		t.Fatalf("%s: nothing was rounded", d.Name())
	}
	for i, x := range whole {
		if want := portable.FromBFloat16(portable.BFloat16(x)); half[i] != want {
			t.Fatalf("%s: %v became %v, expected %v", d.Name(), x, half[i], want)
		}
	}
}
