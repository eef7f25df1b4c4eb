package nn

import (
	"math"
	"testing"

	"dgsbench/kernels"

	G "gorgonia.org/gorgonia"
)

func geluTest(b *opBench) (*G.Node, []func()) {
	rows := NewRows(6)
	return GELU(b.input("x", rows, 19)), []func(){func() { rows.Set(6) }, func() { rows.Set(2) }, func() { rows.Set(0) }}
}

func TestScale(t *testing.T) {
	checkOp(t, func(b *opBench) (*G.Node, []func()) {
		rows := NewRows(6)
		return Scale(b.input("x", rows, 19), -.3), []func(){func() { rows.Set(6) }, func() { rows.Set(2) }, func() { rows.Set(0) }}
	})
}

func TestGELU(t *testing.T) { checkOp(t, geluTest) }

// TestGELUIsNear the function that it approximates, far out too.
func TestGELUIsNear(t *testing.T) {
	onEveryDevice(t, func(t *testing.T, d kernels.Device) {
		g, rows := NewGraph(d), NewRows(801)
		x := g.Input("x", rows, 1)
		y := GELU(x)
		p := g.Compile(ForInference, y)
		numbers := make([]float32, 801)
		for i := range numbers {
			numbers[i] = float32(i-400) / 20
		}
		d.Write(g.Buffer(x), numbers)
		p.Run()
		for i, got := range download(d, p.Buffer(y), len(numbers)) {
			v := float64(numbers[i])
			if want := v * (1 + math.Erf(v/math.Sqrt2)) / 2; !(math.Abs(float64(got)-want) <= 5e-4) {
				t.Errorf("gelu(%v) is %v, expected %v", v, got, want)
			}
		}
	})
}
