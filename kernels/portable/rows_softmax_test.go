package portable_test

import (
	"math"
	"testing"
)

func TestSoftmaxBlocksGrad(t *testing.T) {
	for _, h := range []int{1, 2, 5, 25} {
		rng := newRand(uint64(h))
		n := 4 * h
		x, w, y, dx := random(rng, n), random(rng, n), make([]float64, n), make([]float64, n)
		loss := func() float64 {
			goKernels.SoftmaxBlocks(y, x, h, .4)
			return weighted(w, y)
		}
		loss()
		goKernels.SoftmaxBlocksGrad(dx, w, y, h, .4)
		checkGradient(t, "x", x, dx, loss)
	}
}

// TestSoftmaxBlocks checks that blocks sum to one, ignore a shift, and put
// the odds e^(difference/T) between two columns.
func TestSoftmaxBlocks(t *testing.T) {
	x := []float64{1, 3, 1001, 1003, -5, -5}
	y := make([]float64, len(x))
	goKernels.SoftmaxBlocks(y, x, 2, .5)
	odds := math.Exp(1)
	want := []float64{1 / (1 + odds), odds / (1 + odds), 1 / (1 + odds), odds / (1 + odds), .5, .5}
	for i := range want {
		if math.Abs(y[i]-want[i]) > 1e-15 {
			t.Errorf("y[%d] is %v, want %v", i, y[i], want[i])
		}
	}
}

func TestDivideSumBlocksGrad(t *testing.T) {
	const h, eps, floor = 3, 1e-6, 1e-3
	z := []float64{1, 2, -.5, -1, .3, -2, .4, .1, -.5002} // the last sum lies below the floor
	w := []float64{.5, -1, 2, 1, 1, -3, 1, 2, 3}
	y, dz := make([]float64, len(z)), make([]float64, len(z))
	goKernels.DivideSumBlocks(y, z, h, eps, floor)
	goKernels.DivideSumBlocksGrad(dz, w, y, z, h, eps, floor)
	checkGradient(t, "z", z[:6], dz[:6], func() float64 {
		goKernels.DivideSumBlocks(y, z, h, eps, floor)
		return weighted(w, y)
	})
	for j := 6; j < 9; j++ {
		if d := -floor + eps; math.Abs(y[j]-z[j]/d) > 1e-9 || math.Abs(dz[j]-w[j]/d) > 1e-9 {
			t.Errorf("element %d below the floor: %v with gradient %v, want %v and %v", j, y[j], dz[j], z[j]/d, w[j]/d)
		}
	}
}
