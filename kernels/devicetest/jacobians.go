package devicetest

import (
	"math/rand/v2"
	"testing"

	"dgsbench/kernels"
	"dgsbench/kernels/reference"
)

// jacobianSizes are lanes, features and states. The last has more copies than
// a block has room for where it is a comb, and several blocks.
var jacobianSizes = [][3]int{{0, 5, 3}, {5, 0, 3}, {1, 1, 1}, {7, 3, 12}, {33, 17, 9}, {100, 11, 40}, {37, 19, 900}}

// checkJacobians runs whole numbers, which are exact in any order and even in
// bfloat16, and others.
func checkJacobians(t *testing.T, tolerance float64, devices []kernels.Device) {
	for _, s := range jacobianSizes {
		for _, whole := range []bool{true, false} {
			rng := rand.New(rand.NewPCG(uint64(s[0]), uint64(s[2])))
			draw := drawNumber(rng, whole)
			checkJacobianCase(t, tolerance, whole, NewJacobianCase(rng, s[0], s[1], s[2], 3, draw), devices)
			if s[0] > 0 && s[2] > 100 {
				checkJacobianCase(t, tolerance, whole, newJacobianComb(rng, s[0], s[1], s[2], draw), devices)
			}
		}
	}
}

func drawNumber(rng *rand.Rand, whole bool) func() float32 {
	return func() float32 {
		if whole {
			return float32(rng.IntN(3) - 1)
		}
		return rng.Float32() - .5
	}
}

func checkJacobianCase(t *testing.T, tolerance float64, whole bool, c JacobianCase, devices []kernels.Device) {
	t.Helper()
	lanes := c.Shape.Lanes()
	want := c.Run(reference.New(), false)
	first := map[bool][]float32{}
	for _, d := range devices {
		for _, half := range []bool{false, true} {
			got := c.Run(d, half)
			if first[half] == nil {
				first[half] = got
			}
			sameBits(t, lanes, got, first[half])
			switch {
			case whole:
				closeTo(t, lanes, got, want, 0)
			case half: // of 8 bits
				closeTo(t, lanes, got, want, .02)
			default:
				closeTo(t, lanes, got, want, 8*tolerance)
			}
		}
	}
}
