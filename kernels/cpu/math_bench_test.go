package cpu_test

import (
	"fmt"
	"math"
	"testing"

	"dgsbench/kernels/cpu"
	"dgsbench/kernels/portable"
)

// benchElements runs f on n elements at a time and reports the time of one.
func benchElements(b *testing.B, name string, n int, f func()) {
	b.Run(name, func(b *testing.B) {
		for b.Loop() {
			f()
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/element")
	})
}

// BenchmarkFunctions compares the kernels with loops over package math.
func BenchmarkFunctions(b *testing.B) {
	const n = 4096
	a := newArrays(1, false)
	x, dst := a.normal(n), a.normal(n)
	for _, f := range functions {
		if f.name != "Cos" && f.name != "Sin" {
			benchElements(b, f.name+"/math", n, loop(dst, x, f.exact))
		}
		for _, k := range cpu.Available() {
			benchElements(b, fmt.Sprintf("%s/%s", f.name, k.Level()), n, func() { f.kernel(k, dst, x) })
		}
	}
	benchElements(b, "Cos/math", n, loop(dst, x, math.Cos))
	benchElements(b, "Sin/math", n, loop(dst, x, math.Sin))
	seconds := a.positive(n)
	cpu.Best().Affine(seconds, seconds, 1e8, 0)
	benchElements(b, "CosOfSeconds/math", n, loop(dst, seconds, math.Cos))
	for _, k := range cpu.Available() {
		benchElements(b, fmt.Sprintf("CosOfSeconds/%s", k.Level()), n, func() { k.Cos(dst, seconds) })
	}
}

func loop(dst, x []float32, f func(float64) float64) func() {
	return func() {
		for i, v := range x {
			dst[i] = float32(f(float64(v)))
		}
	}
}

// BenchmarkRows runs the kernels at the sizes of the models: batches of 200
// events, widths of 100, ten neighbours.
func BenchmarkRows(b *testing.B) {
	const rows, cols, n = 200, 100, 20000
	a := newArrays(1, false)
	for _, k := range cpu.Available() {
		run := func(name string, elements int, f func()) {
			benchElements(b, fmt.Sprintf("%s/%s", name, k.Level()), elements, f)
		}
		x, y, z, row := a.normal(n), a.normal(n), a.normal(n), a.normal(cols)
		run("Axpy", n, func() { k.Axpy(y, x, 1e-9) })
		run("Dot", n, func() { z[0] = k.Dot(x, y) })
		run("AddColumnSums", n, func() { clear(row); k.AddColumnSums(row, x, rows) })
		index := make([]int32, rows)
		for i := range index {
			index[i] = int32(i * 7 % rows)
		}
		run("GatherRows", n, func() { portable.GatherRows(z, x, cols, index) })
		run("ScatterAddRows", n, func() { clear(z); k.ScatterAddRows(z, x, cols, index) })
		for _, h := range []int{2, 5, 10, 25} {
			run(fmt.Sprintf("SoftmaxBlocks%d", h), n, func() { k.SoftmaxBlocks(z, x, h, .5) })
			run(fmt.Sprintf("SoftmaxBlocksGrad%d", h), n, func() { k.SoftmaxBlocksGrad(z, x, y, h, .5) })
		}
		dt := make([]float32, rows)
		for i := range dt {
			dt[i] = float32(i) * 12345
		}
		dw, db := make([]float32, cols), make([]float32, cols)
		run("TimeEncode", n, func() { k.TimeEncode(z, dt, row, row) })
		run("TimeEncodeGrad", n, func() { k.TimeEncodeGrad(dw, db, x, dt, row, row) })
		loss, target, weight := a.normal(n), a.positive(n), a.positive(n)
		run("BCELoss", n, func() { k.BCELoss(loss, x, target, weight) })
		mean, square := make([]float32, n), make([]float32, n)
		run("Adam", n, func() { k.Adam(y, x, mean, square, 0, .9, .1, .999, .001, 1e-9, 1, 1e-8) })
		benchGRU(run, a, k, rows, cols)
		benchAttention(run, a, k)
		benchMixing(run, a, k)
	}
}

// benchMixing has the states of 200 events.
func benchMixing(run func(string, int, func()), a *arrays, k cpu.Kernels) {
	const rows = 200
	for _, cols := range []int{100, 250} {
		n := rows * cols
		m := &portable.Mixture[float32]{Cols: cols, Self: a.normal(n), Other: a.normal(n), E: a.normal(n), Alpha: a.positive(cols), Beta: a.positive(cols)}
		d := &portable.MixtureGrad[float32]{Self: a.normal(n), Other: a.normal(n), E: a.normal(n), Alpha: a.normal(n), Beta: a.normal(n)}
		dst, g := a.normal(n), a.normal(n)
		run(fmt.Sprintf("Mix%d", cols), n, func() { k.Mix(dst, m) })
		run(fmt.Sprintf("MixGrad%d", cols), n, func() { k.MixGrad(d, m, g) })
		run(fmt.Sprintf("Sigmoid%d", cols), n, func() { k.Sigmoid(dst, g) })
		run(fmt.Sprintf("SigmoidGrad%d", cols), n, func() { k.SigmoidGrad(dst, g, m.Self) })
		for _, h := range []int{2, 10, 25} {
			run(fmt.Sprintf("SparsemaxBlocks%d of %d", h, cols), n, func() { portable.SparsemaxBlocks(dst, g, h, .5) })
			run(fmt.Sprintf("EntmaxBlocks%d of %d", h, cols), n, func() { portable.EntmaxBlocks(dst, g, h, .5) })
		}
	}
}

func benchGRU(run func(string, int, func()), a *arrays, k cpu.Kernels, rows, units int) {
	n := rows * units
	h, q, dq, gates := a.normal(n), a.normal(n), a.normal(n), a.normal(3*n)
	gi, gh, dgi, dgh := a.normal(3*n), a.normal(3*n), a.normal(3*n), a.normal(3*n)
	run("GRUCell", n, func() { k.GRUCell(h, gates, gi, gh, q, units) })
	run("GRUCellGrad", n, func() { k.GRUCellGrad(dgi, dgh, dq, h, gates, gh, q, units) })
}

// benchAttention has 600 centres with ten neighbours each, two heads of 50.
func benchAttention(run func(string, int, func()), a *arrays, k cpu.Kernels) {
	const centres, neighbours, heads, channels = 600, 10, 2, 50
	const edges, width = centres * neighbours, heads * channels
	in := &portable.Attention[float32]{
		Heads: heads, Channels: channels, Offsets: []int32{0},
		Q: a.normal(centres * width), K: a.normal(centres * width), V: a.normal(centres * width), E: a.normal(edges * width),
		Out: a.normal(centres * width), Weights: a.normal(edges * heads),
	}
	for e := range edges {
		in.Index = append(in.Index, int32(e*7%centres))
		if (e+1)%neighbours == 0 {
			in.Offsets = append(in.Offsets, int32(e+1))
		}
	}
	g := &portable.AttentionGrad[float32]{
		Out: a.normal(centres * width), Q: a.normal(centres * width), E: a.normal(edges * width),
		K: a.normal(centres * width), V: a.normal(centres * width), Scores: a.normal(edges * heads),
	}
	run("Attend", edges*width, func() { k.Attend(in) })
	run("AttendGrad", edges*width, func() { k.AttendGrad(in, g) })
}
