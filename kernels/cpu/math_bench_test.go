package cpu_test

import (
	"fmt"
	"testing"

	"dgsbench/kernels"
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
	for _, f := range functions[:2] { // the others are parts of kernels
		benchElements(b, f.name+"/math", n, loop(dst, x, f.exact))
		for _, k := range cpu.Available() {
			benchElements(b, fmt.Sprintf("%s/%s", f.name, k.Level()), n, func() { f.kernel(k, dst, x) })
		}
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
		x, y, z, row := numbers(a.normal(n)), numbers(a.normal(n)), numbers(a.normal(n)), numbers(a.normal(cols))
		d := on(k)
		run("Axpy", n, func() { k.Axpy(y, x, 1e-9) })
		run("Dot", n, func() { z[0] = k.Dot(x, y) })
		run("ColumnSums", n, func() { d.ColumnSums(rows, cols, row, x) })
		index := make(portable.Ints, rows)
		for i := range index {
			index[i] = int32(i * 7 % rows)
		}
		run("GatherRows", n, func() { d.GatherRows(rows, rows, cols, z, x, index) })
		run("ScatterAddRows", n, func() { clear(z); d.ScatterAddRows(rows, rows, cols, z, x, index) })
		for _, h := range []int{2, 5, 10, 25} {
			run(fmt.Sprintf("SoftmaxBlocks%d", h), n, func() { k.SoftmaxBlocks(z, x, h, .5) })
			run(fmt.Sprintf("SoftmaxBlocksGrad%d", h), n, func() { k.SoftmaxBlocksGrad(z, x, y, h, .5) })
		}
		dt := make(numbers, rows)
		for i := range dt {
			dt[i] = float32(i) * 12345
		}
		dw, db := make(numbers, cols), make(numbers, cols)
		run("TimeEncode", n, func() { d.TimeEncode(rows, cols, z, dt, row, row) })
		run("TimeEncodeGrad", n, func() { d.TimeEncodeGrad(rows, cols, dw, db, x, dt, row, row) })
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
		m := &kernels.Mixture{
			Rows: rows, Cols: cols, Self: a.buffer(n), Other: a.buffer(n), E: a.buffer(n), Alpha: a.positives(cols), Beta: a.positives(cols),
		}
		to := &kernels.MixtureGrad{Self: a.buffer(n), Other: a.buffer(n), E: a.buffer(n), Alpha: a.buffer(n), Beta: a.buffer(n)}
		dst, g, d := a.buffer(n), a.buffer(n), on(k)
		run(fmt.Sprintf("Mix%d", cols), n, func() { d.Mix(m, dst) })
		run(fmt.Sprintf("MixGrad%d", cols), n, func() { d.MixGrad(m, g, to) })
		run(fmt.Sprintf("Sigmoid%d", cols), n, func() { d.Sigmoid(n, dst, g) })
		run(fmt.Sprintf("SigmoidGrad%d", cols), n, func() { d.SigmoidGrad(n, dst, g, m.Self) })
		for _, h := range []int{2, 10, 25} {
			run(fmt.Sprintf("SparsemaxBlocks%d of %d", h, cols), n, func() { d.SparsemaxBlocks(n, h, .5, dst, g) })
			run(fmt.Sprintf("EntmaxBlocks%d of %d", h, cols), n, func() { d.EntmaxBlocks(n, h, .5, dst, g) })
		}
	}
}

func benchGRU(run func(string, int, func()), a *arrays, k cpu.Kernels, rows, units int) {
	n := rows * units
	h, q, dq, gates := a.buffer(n), a.buffer(n), a.buffer(n), a.buffer(3*n)
	gi, gh, dgi, dgh := a.buffer(3*n), a.buffer(3*n), a.buffer(3*n), a.buffer(3*n)
	run("GRUCell", n, func() { on(k).GRUCell(rows, units, h, gates, gi, gh, q) })
	run("GRUCellGrad", n, func() { on(k).GRUCellGrad(rows, units, dgi, dgh, dq, h, gates, gh, q) })
}

// benchAttention has 600 centres with ten neighbours each, two heads of 50.
func benchAttention(run func(string, int, func()), a *arrays, k cpu.Kernels) {
	const centres, neighbours, heads, channels = 600, 10, 2, 50
	const edges, width = centres * neighbours, heads * channels
	index, offsets := portable.Ints{}, portable.Ints{0}
	for e := range edges {
		index = append(index, int32(e*7%centres))
		if (e+1)%neighbours == 0 {
			offsets = append(offsets, int32(e+1))
		}
	}
	in := &kernels.Attention{
		Heads: heads, Channels: channels, Centres: centres, Nodes: centres, Edges: edges, Offsets: offsets, Index: index,
		Q: a.buffer(centres * width), K: a.buffer(centres * width), V: a.buffer(centres * width), E: a.buffer(edges * width),
		Out: a.buffer(centres * width), Weights: a.buffer(edges * heads),
	}
	g := &kernels.AttentionGrad{
		Out: a.buffer(centres * width), Q: a.buffer(centres * width), E: a.buffer(edges * width),
		K: a.buffer(centres * width), V: a.buffer(centres * width), Scores: a.buffer(edges * heads),
	}
	run("Attend", edges*width, func() { on(k).Attend(in) })
	run("AttendGrad", edges*width, func() { on(k).AttendGrad(in, g) })
}
