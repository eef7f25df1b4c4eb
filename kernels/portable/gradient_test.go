package portable_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"dgsbench/kernels/portable"
)

// device has the kernels that the gradients are of.
var device = portable.NewDevice("test", goKernels, make([]float64, 100))

var goKernels = portable.Go[float64]()

type numbers = portable.Buffer[float64]

func zeros(n int) numbers { return make(numbers, n) }

// gradientTolerance bounds the difference of a gradient from the central
// difference, in float64, relative to the largest one of its array.
const gradientTolerance = 1e-7

// checkGradient compares got with central differences of loss with respect
// to x.
func checkGradient(t *testing.T, name string, x, got []float64, loss func() float64) {
	t.Helper()
	const step = 1e-5
	want := make([]float64, len(x))
	largest := 1e-3
	for i, v := range x {
		x[i] = v + step
		above := loss()
		x[i] = v - step
		want[i] = (above - loss()) / (2 * step)
		x[i] = v
		largest = max(largest, math.Abs(want[i]))
	}
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= gradientTolerance*largest) {
			t.Errorf("gradient of %s[%d] is %v, central difference %v", name, i, got[i], want[i])
		}
	}
}

// random are n numbers around zero.
func random(rng *rand.Rand, n int) numbers {
	out := zeros(n)
	for i := range out {
		out[i] = rng.NormFloat64()
	}
	return out
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// weighted is the sum of w*x, the loss of the tests below: w is its gradient.
func weighted(w, x []float64) float64 {
	var s float64
	for i, v := range x {
		s += w[i] * v
	}
	return s
}
