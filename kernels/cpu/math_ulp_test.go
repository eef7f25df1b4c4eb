package cpu_test

import (
	"math"
	"slices"
	"testing"

	"dgsbench/kernels/cpu"
)

// ulps is the distance of got from the exact value in units of the last
// place that a float32 near the exact value has.
func ulps(got float32, want float64) float64 {
	const overflow = 0x1p128
	if math.IsNaN(want) || isNaN(got) {
		if math.IsNaN(want) && isNaN(got) {
			return 0
		}
		return math.Inf(1)
	}
	g := math.Max(math.Min(float64(got), overflow), -overflow)
	w := math.Max(math.Min(want, overflow), -overflow)
	_, exponent := math.Frexp(w)
	return math.Abs(g-w) / math.Ldexp(1, max(exponent-24, -149))
}

// function is one that kernels compute, and its exact values.
type function struct {
	name   string
	kernel func(k cpu.Kernels, dst, x []float32)
	exact  func(x float64) float64
}

var functions = []function{
	{"Exp", func(k cpu.Kernels, dst, x []float32) { k.Exp(dst, x) }, math.Exp},
	{"Sigmoid", func(k cpu.Kernels, dst, x []float32) { k.Sigmoid(dst, x) }, func(x float64) float64 {
		if x < 0 { // 1/(1 + e^-x) would overflow before it underflows
			return math.Exp(x) / (1 + math.Exp(x))
		}
		return 1 / (1 + math.Exp(-x))
	}},
	{"tanh of a GRU", func(k cpu.Kernels, dst, x []float32) {
		n := len(x)
		gates, gi, zeros := make([]float32, 3*n), make([]float32, 3*n), make([]float32, 3*n)
		copy(gi[2*n:], x)
		k.GRURow(dst, gates, gi, zeros, zeros[:n])
		copy(dst, gates[2*n:])
	}, math.Tanh},
	{"softplus of a loss", func(k cpu.Kernels, dst, x []float32) {
		k.BCELoss(dst, x, make([]float32, len(x)), slices.Repeat([]float32{1}, len(x)))
	}, func(x float64) float64 {
		return math.Max(x, 0) - 0*x + math.Log1p(math.Exp(-math.Abs(x)))
	}},
	{"cos of times", func(k cpu.Kernels, dst, x []float32) {
		d, zeros := cpu.NewDevice(k, 1), make(numbers, timeColumns)
		for w := range slices.Chunk(numbers(x), timeColumns) {
			d.TimeEncode(1, len(w), numbers(dst), numbers{1}, w, zeros)
			dst = dst[len(w):]
		}
	}, exactCos},
	{"sin of times", func(k cpu.Kernels, dst, x []float32) {
		d, zeros, ones, dw := cpu.NewDevice(k, 1), make(numbers, timeColumns), slices.Repeat(numbers{1}, timeColumns), make(numbers, timeColumns)
		for w := range slices.Chunk(numbers(x), timeColumns) {
			d.TimeEncodeGrad(1, len(w), dw, numbers(dst), ones, ones, w, zeros)
			for i := range w {
				dst[i] = -dst[i]
			}
			dst = dst[len(w):]
		}
	}, exactSin},
}

// timeColumns are encoded at once: by plain Go if one of them is large.
const timeColumns = 64

// worstOf is the largest error of a function over the arguments, at each
// level, with the argument where it occurs.
func (f function) worstOf(x []float32, worst map[cpu.Level]float64, at map[cpu.Level]float32) {
	exact := make([]float64, len(x))
	for i, v := range x {
		exact[i] = f.exact(float64(v))
	}
	got := make([]float32, len(x))
	for _, k := range cpu.Available() {
		f.kernel(k, got, x)
		for i, v := range got {
			if e := ulps(v, exact[i]); e > worst[k.Level()] {
				worst[k.Level()], at[k.Level()] = e, x[i]
			}
		}
	}
}

// TestUlps goes through every 1021st of all float32 bit patterns, four
// million of them, NaN, infinities and denormals among them.
func TestUlps(t *testing.T) {
	const step, chunk = 1021, 1 << 14
	for _, f := range functions {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			worst, at := map[cpu.Level]float64{}, map[cpu.Level]float32{}
			x := make([]float32, 0, chunk)
			for bits := uint64(0); bits < 1<<32; bits += step {
				x = append(x, math.Float32frombits(uint32(bits)))
				if len(x) == chunk || bits+step >= 1<<32 {
					f.worstOf(x, worst, at)
					x = x[:0]
				}
			}
			report(t, f.name, worst, at)
		})
	}
}

func report(t *testing.T, name string, worst map[cpu.Level]float64, at map[cpu.Level]float32) {
	t.Helper()
	const allowed = 2
	for _, k := range cpu.Available() {
		l := k.Level()
		t.Logf("%s, %s: %.3f ulp at %v", name, l, worst[l], at[l])
		if !(worst[l] <= allowed) {
			t.Errorf("%s, %s: %v ulp at %v, allowed %d", name, l, worst[l], at[l], allowed)
		}
	}
}

// TestSpecialArguments checks what sampling could miss.
func TestSpecialArguments(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	x := []float32{
		inf, -inf, nan, 0, float32(math.Copysign(0, -1)), 88.72283, 88.72284, -87.33655, -103.97208, -103.97209,
		math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32, math.MaxFloat32, -math.MaxFloat32, 0.625, -0.625,
		1 << 50, -(1 << 50), 1.0001 * (1 << 50), 1e9, -1e9,
	}
	for _, f := range functions {
		worst, at := map[cpu.Level]float64{}, map[cpu.Level]float32{}
		for i := range x {
			f.worstOf(x[i:i+1], worst, at)
		}
		report(t, f.name, worst, at)
	}
}
