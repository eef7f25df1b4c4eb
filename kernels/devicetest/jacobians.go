package devicetest

import (
	"math/rand/v2"
	"testing"

	"dgsbench/kernels"
	"dgsbench/kernels/reference"
)

// jacobianSizes are lanes, features and states; the last has more copies than
// a block has room for, and several blocks.
var jacobianSizes = [][3]int{{0, 5, 3}, {5, 0, 3}, {1, 1, 1}, {7, 3, 12}, {33, 17, 9}, {100, 11, 40}, {37, 9, 900}}

// checkJacobians runs whole numbers, which are exact in any order and even in
// bfloat16, and others.
func checkJacobians(t *testing.T, tolerance float64, devices []kernels.Device) {
	for _, s := range jacobianSizes {
		for _, whole := range []bool{true, false} {
			rng := rand.New(rand.NewPCG(uint64(s[0]), uint64(s[2])))
			c := NewJacobianCase(rng, s[0], s[1], s[2], 3, func() float32 {
				if whole {
					return float32(rng.IntN(3) - 1)
				}
				return rng.Float32() - .5
			})
			want := c.Run(reference.New(), false)
			first := map[bool][]float32{}
			for _, d := range devices {
				for _, half := range []bool{false, true} {
					got := c.Run(d, half)
					if first[half] == nil {
						first[half] = got
					}
					sameBits(t, s[0], got, first[half])
					switch {
					case whole:
						closeTo(t, s[0], got, want, 0)
					case half: // of 8 bits
						closeTo(t, s[0], got, want, .02)
					default:
						closeTo(t, s[0], got, want, 8*tolerance)
					}
				}
			}
		}
	}
}
