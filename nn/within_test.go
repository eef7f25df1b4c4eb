package nn

import (
	"math"
	"testing"
)

// TestWithin: at every place of lists of every length, at the edge and beyond.
func TestWithin(t *testing.T) {
	above := math.Nextafter32(Largest, math.MaxFloat32)
	for n := range 9 {
		x := make([]float32, n+1)[1:] // not at a multiple of eight bytes
		for i := range n {
			for z, want := range map[float32]bool{
				Largest: true, -Largest: true, math.SmallestNonzeroFloat32: true, above: false, -above: false,
				math.MaxFloat32: false, float32(math.Inf(1)): false, float32(math.Inf(-1)): false,
			} {
				x[i] = z
				if Within(x) != want {
					t.Errorf("%v at %d of %d: %t", z, i, n, !want)
				}
			}
			if x[i] = float32(math.NaN()); Within(x) {
				t.Errorf("NaN at %d of %d is within", i, n)
			}
			x[i] = -1
		}
		if !Within(x) {
			t.Errorf("%v is not within", x)
		}
	}
}
