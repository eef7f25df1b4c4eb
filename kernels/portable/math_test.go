package portable_test

import (
	"math"
	"testing"

	"dgsbench/kernels/portable"
)

func TestBCEGrad(t *testing.T) {
	const rows = 6
	rng := newRand(2)
	x, w, loss, dx := random(rng, rows), random(rng, rows), zeros(1), zeros(rows)
	y := numbers{0, 1, 1, 0, .3, 1}
	device.BCEGrad(rows, dx, x, y, w, numbers{1})
	checkGradient(t, "x", x, dx, func() float64 {
		device.BCE(rows, loss, x, y, w)
		return loss[0]
	})
}

// TestBCELoss compares it with the definition, and with its limits where the
// definition overflows.
func TestBCELoss(t *testing.T) {
	for _, c := range []struct{ x, y, want float64 }{
		{0, 1, math.Ln2},
		{2, 0, -math.Log(1 - 1/(1+math.Exp(-2)))},
		{-3, 1, -math.Log(1 / (1 + math.Exp(3)))},
		{1000, 0, 1000},
		{1000, 1, 0},
		{-1000, 1, 1000},
	} {
		got := make([]float64, 1)
		goKernels.BCELoss(got, []float64{c.x}, []float64{c.y}, []float64{2})
		if math.Abs(got[0]-2*c.want) > 1e-14*math.Max(1, c.want) {
			t.Errorf("loss of logit %v, target %v, weight 2 is %v, want %v", c.x, c.y, got[0], 2*c.want)
		}
	}
}

func TestTimeEncodeGrad(t *testing.T) {
	const rows, cols = 4, 3
	rng := newRand(3)
	dt, w, b, out := random(rng, rows), random(rng, cols), random(rng, cols), random(rng, rows*cols)
	enc, dw, db := zeros(rows*cols), zeros(cols), zeros(cols)
	device.TimeEncodeGrad(rows, cols, dw, db, out, dt, w, b)
	loss := func() float64 {
		device.TimeEncode(rows, cols, enc, dt, w, b)
		return weighted(out, enc)
	}
	checkGradient(t, "w", w, dw, loss)
	checkGradient(t, "b", b, db, loss)
}

// TestTimeEncodeRounds checks that the argument is rounded to float32 after
// the product and after the sum, as in PyTorch, at the size of real seconds.
func TestTimeEncodeRounds(t *testing.T) {
	const dt, w, b = 2592001, .7312345, .1234567
	type float32s = portable.Buffer[float32]
	enc := make(float32s, 1)
	portable.NewDevice("float32", portable.Go[float32](), nil).TimeEncode(1, 1, enc, float32s{dt}, float32s{w}, float32s{b})
	product := float32(float32(w) * float32(dt))
	want := math.Cos(float64(product + float32(b)))
	if math.Abs(float64(enc[0])-want) > 1e-7 {
		t.Errorf("encoding is %v, want %v", enc[0], want)
	}
}

func TestReLUGrad(t *testing.T) {
	dx := make([]float64, 4)
	goKernels.ReLUGrad(dx, []float64{1, 2, 3, 4}, []float64{-1, 0, 1, math.NaN()})
	for i, want := range []float64{0, 0, 3, 0} {
		if dx[i] != want {
			t.Errorf("dx[%d] is %v, want %v", i, dx[i], want)
		}
	}
}

// TestSumOrder uses numbers whose float32 sum depends on the order: lane 0
// holds 1e8 and then -1e8 before the ones of the other lanes join.
func TestSumOrder(t *testing.T) {
	x := make([]float32, 32)
	for i := range x {
		x[i] = 1
	}
	x[0], x[16] = 1e8, -1e8
	if got := portable.Go[float32]().Sum(x); got != 30 {
		t.Errorf("sum is %v, want 30: element 16 belongs to the lane of element 0", got)
	}
	x[16], x[8] = 1, -1e8 // lane 8 joins lane 0 first, after each has lost its one
	if got := portable.Go[float32]().Sum(x); got != 28 {
		t.Errorf("sum is %v, want 28: lane 8 joins lane 0 first", got)
	}
}
