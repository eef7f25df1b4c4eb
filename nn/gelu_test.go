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

// TestLargeGELU: numbers that do not fit into one part, and their gradients.
func TestLargeGELU(t *testing.T) {
	const capacity, cols = 3000, 33
	weights, numbers := drawn("weights of the loss", capacity*cols), drawn("x", capacity*cols)
	onEveryDevice(t, func(t *testing.T, d kernels.Device) {
		b := newOpBench(t, d, func(b *opBench) (*G.Node, []func()) {
			rows := NewRows(capacity)
			y := GELU(b.input("x", rows, cols))
			b.graph.blocks = blockRows{min: 1000, max: 1000}
			return y, []func(){func() { rows.Set(capacity) }, func() { rows.Set(2979) }, func() { rows.Set(1) }}
		})
		for batch, rows := range []int{capacity, 2979, 1} {
			got := b.results(batch)
			for i := range rows * cols {
				const scale, cubic = 2 * math.Sqrt2 / math.SqrtPi, .044715
				x := float64(numbers[i])
				share := 1 / (1 + math.Exp(-scale*(x+cubic*x*x*x)))
				slope := float64(weights[i]) * share * (1 + x*scale*(1+3*cubic*x*x)*(1-share))
				if math.Abs(float64(got[0][i])-x*share) > 1e-5 || math.Abs(float64(got[1][i])-slope) > 1e-5 {
					t.Fatalf("%d rows, number %d: gelu(%v) is %v with gradient %v, expected %v and %v", rows, i, x, got[0][i], got[1][i], x*share, slope)
				}
			}
		}
	})
}

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
