package nn

import (
	"math"
	"testing"

	"dgsbench/kernels"

	G "gorgonia.org/gorgonia"
)

func layerNormTest(b *opBench) (*G.Node, []func()) {
	rows := NewRows(6)
	out := LayerNorm(b.input("x", rows, 19), b.param("scale", 19), b.param("shift", 19), 1e-5)
	return out, []func(){func() { rows.Set(6) }, func() { rows.Set(1) }, func() { rows.Set(0) }}
}

func TestLayerNorm(t *testing.T) { checkOp(t, layerNormTest) }

func batchNormTest(b *opBench) (*G.Node, []func()) {
	b.trainingDiffers = true
	rows := NewRows(9)
	out := BatchNorm(b.input("x", rows, 19), BatchNormParams{
		Scale: b.param("scale", 19), Shift: b.param("shift", 19),
		Mean: b.graph.Param("mean", make([]float32, 19), 19), Variance: b.graph.Param("variance", constant(19, 1), 19),
		Momentum: .1, Eps: 1e-5,
	})
	return out, []func(){func() { rows.Set(9) }, func() { rows.Set(5) }, func() { rows.Set(0) }}
}

func TestBatchNorm(t *testing.T) { checkOp(t, batchNormTest) }

// TestBatchNormRunningAverages: batches move them, inference uses them.
func TestBatchNormRunningAverages(t *testing.T) {
	onEveryDevice(t, func(t *testing.T, d kernels.Device) {
		g, rows := NewGraph(d), NewRows(4)
		x := g.Input("x", rows, 1)
		p := BatchNormParams{
			Scale: g.Param("scale", []float32{2}, 1), Shift: g.Param("shift", []float32{1}, 1),
			Mean: g.Param("mean", []float32{0}, 1), Variance: g.Param("variance", []float32{1}, 1), Momentum: .25,
		}
		out := BatchNorm(x, p)
		train := g.Compile(ForTraining, out)
		infer := g.Compile(ForInference, out)
		averages := func(mean, variance float32) {
			t.Helper()
			closeTo(t, download(d, g.Buffer(p.Mean), 1), []float32{mean})
			closeTo(t, download(d, g.Buffer(p.Variance), 1), []float32{variance})
		}
		d.Write(g.Buffer(x), []float32{1, 2, 6, 7}) // mean 4, variance 6.5, or 26/3
		train.Run()
		averages(1, .75+26./12)
		rows.Set(1) // without a variance
		train.Run()
		averages(.75+.25, .75+26./12)
		rows.Set(0)
		train.Run()
		averages(1, .75+26./12)
		rows.Set(2)
		infer.Run()
		averages(1, .75+26./12)
		root := float32(math.Sqrt(.75 + 26./12))
		closeTo(t, download(d, infer.Buffer(out), 2), []float32{1, 2/root + 1})
	})
}
