package cpu_test

import (
	"testing"

	"dgsbench/kernels"
	"dgsbench/kernels/cpu"
)

func unaryCase(name string, f func(k cpu.Kernels, dst, x []float32)) kernelCase {
	return kernelCase{name, func(a *arrays, n int) func(cpu.Kernels) {
		dst, x := a.normal(n), a.normal(n)
		return func(k cpu.Kernels) { f(k, dst, x) }
	}}
}

func binaryCase(name string, f func(k cpu.Kernels, dst, a, b []float32)) kernelCase {
	return kernelCase{name, func(a *arrays, n int) func(cpu.Kernels) {
		dst, x, y := a.normal(n), a.normal(n), a.normal(n)
		return func(k cpu.Kernels) { f(k, dst, x, y) }
	}}
}

// reduceCase writes the result of f to an array of one.
func reduceCase(name string, f func(k cpu.Kernels, a, b, c []float32) float32) kernelCase {
	return kernelCase{name, func(a *arrays, n int) func(cpu.Kernels) {
		s, x, y, z := a.normal(1), a.normal(n), a.normal(n), a.normal(n)
		return func(k cpu.Kernels) { s[0] = f(k, x, y, z) }
	}}
}

var mathCases = []kernelCase{
	unaryCase("Exp", func(k cpu.Kernels, dst, x []float32) { k.Exp(dst, x) }),
	unaryCase("Sigmoid", func(k cpu.Kernels, dst, x []float32) { k.Sigmoid(dst, x) }),
	unaryCase("ReLU", func(k cpu.Kernels, dst, x []float32) { k.ReLU(dst, x) }),
	unaryCase("Affine", func(k cpu.Kernels, dst, x []float32) { k.Affine(dst, x, -1.7, .3) }),
	unaryCase("Axpy", func(k cpu.Kernels, dst, x []float32) { k.Axpy(dst, x, -1.7) }),
	binaryCase("Add", func(k cpu.Kernels, dst, a, b []float32) { k.Add(dst, a, b) }),
	binaryCase("Mul", func(k cpu.Kernels, dst, a, b []float32) { k.Mul(dst, a, b) }),
	binaryCase("AddMul", func(k cpu.Kernels, dst, a, b []float32) { k.AddMul(dst, a, b) }),
	binaryCase("ReLUGrad", func(k cpu.Kernels, dst, a, b []float32) { k.ReLUGrad(dst, a, b) }),
	binaryCase("AxpySum", func(k cpu.Kernels, y, u, v []float32) { k.AxpySum(y, u, v, 2.1) }),
	reduceCase("Sum", func(k cpu.Kernels, a, _, _ []float32) float32 { return k.Sum(a) }),
	reduceCase("Dot", func(k cpu.Kernels, a, b, _ []float32) float32 { return k.Dot(a, b) }),
	reduceCase("DotSum", func(k cpu.Kernels, a, u, v []float32) float32 { return k.DotSum(a, u, v) }),
	{"BCELoss", func(a *arrays, n int) func(cpu.Kernels) {
		s, loss, x, y, w := a.normal(1), a.normal(n), a.normal(n), a.positive(n), a.positive(n)
		return func(k cpu.Kernels) {
			k.BCELoss(loss, x, y, w)
			s[0] = k.Sum(loss)
		}
	}},
	{"BCEGrad", func(a *arrays, n int) func(cpu.Kernels) {
		dx, x, y, w := a.normal(n), a.normal(n), a.positive(n), a.positive(n)
		return func(k cpu.Kernels) { k.BCEGrad(dx, x, y, w, .25) }
	}},
	{"Adam", func(a *arrays, n int) func(cpu.Kernels) {
		p, g, mean, square := a.normal(n), a.normal(n), a.normal(n), a.positive(n)
		return func(k cpu.Kernels) { k.Adam(p, g, mean, square, .05, .9, .1, .999, .001, .01, 3, 1e-8) }
	}},
	{"Momentum", func(a *arrays, n int) func(cpu.Kernels) {
		p, g, velocity := a.normal(n), a.normal(n), a.normal(n)
		return func(k cpu.Kernels) { k.Momentum(p, g, velocity, .05, .9, .01) }
	}},
	timeCase("TimeEncode", func(d *cpu.Device, n int, enc, dt, w, b, _, _ kernels.Buffer) {
		d.TimeEncode(testRows, n, enc, dt, w, b)
	}),
	timeCase("TimeEncodeGrad", func(d *cpu.Device, n int, enc, dt, w, b, dw, db kernels.Buffer) {
		d.TimeEncodeGrad(testRows, n, dw, db, enc, dt, w, b)
	}),
}

// timeCase has, with special values, some times beyond the range of the vector
// kernel.
func timeCase(name string, f func(d *cpu.Device, n int, enc, dt, w, b, dw, db kernels.Buffer)) kernelCase {
	return kernelCase{name, func(a *arrays, n int) func(cpu.Kernels) {
		enc, dt := a.buffer(testRows*n), a.normal(testRows)
		special := a.special
		a.special = false
		w, b, dw, db := a.buffer(n), a.buffer(n), a.buffer(n), a.buffer(n)
		a.special = special
		dt[0], dt[1] = 2.6e6, 0
		if special {
			dt[2] = 1e20
		}
		var times kernels.Buffer = numbers(dt)
		return func(k cpu.Kernels) { f(on(k), n, enc, times, w, b, dw, db) }
	}}
}

func TestMathConforms(t *testing.T) { conform(t, mathCases, 1e-6) }

// TestInPlace runs kernels that may have dst be an input that way.
func TestInPlace(t *testing.T) {
	y := newArrays(2, false).normal(99)
	cases := []struct {
		name string
		f    func(k cpu.Kernels, dst, x []float32)
	}{
		{"Exp", func(k cpu.Kernels, dst, x []float32) { k.Exp(dst, x) }},
		{"Sigmoid", func(k cpu.Kernels, dst, x []float32) { k.Sigmoid(dst, x) }},
		{"ReLU", func(k cpu.Kernels, dst, x []float32) { k.ReLU(dst, x) }},
		{"Add", func(k cpu.Kernels, dst, x []float32) { k.Add(dst, x, x) }},
		{"softmax of 3", func(k cpu.Kernels, dst, x []float32) { k.SoftmaxBlocks(dst, x, 3, 1) }},
		{"softmax of 33", func(k cpu.Kernels, dst, x []float32) { k.SoftmaxBlocks(dst, x, 33, 1) }},
		{"divide by sum of 3", func(k cpu.Kernels, dst, x []float32) { k.DivideSumBlocks(dst, x, 3, 1, 0) }},
		{"divide by sum of 33", func(k cpu.Kernels, dst, x []float32) { k.DivideSumBlocks(dst, x, 33, 1, 0) }},
		{"softmax gradient over y", func(k cpu.Kernels, dst, x []float32) { k.SoftmaxBlocksGrad(dst, x, y, 3, 1) }},
		{"softmax gradient over dy", func(k cpu.Kernels, dst, x []float32) { k.SoftmaxBlocksGrad(dst, y, x, 3, 1) }},
		{"divide by sum gradient over the first", func(k cpu.Kernels, dst, x []float32) { k.DivideSumBlocksGrad(dst, x, y, y, 3, 1, 0) }},
		{"divide by sum gradient over the second", func(k cpu.Kernels, dst, x []float32) { k.DivideSumBlocksGrad(dst, y, x, y, 3, 1, 0) }},
		{"divide by sum gradient over the third", func(k cpu.Kernels, dst, x []float32) { k.DivideSumBlocksGrad(dst, y, y, x, 3, 1, 0) }},
	}
	for _, c := range cases {
		for _, k := range cpu.Available() {
			x := newArrays(1, false).normal(99)
			want := make([]float32, len(x))
			c.f(k, want, x)
			c.f(k, x, x)
			sameBits(t, len(x), k, x, want)
		}
	}
}

// TestShortBuffers: a device panics if a buffer is shorter than the sizes say,
// or sizes do not fit together.
func TestShortBuffers(t *testing.T) {
	d := cpu.NewDevice(cpu.Best(), 1)
	buffer := func(n int) kernels.Buffer { return d.View(d.NewBuffer(6), 0, n) }
	three, two := buffer(3), buffer(2)
	row := func(i int32) kernels.Ints {
		l := d.NewInts(1)
		d.WriteInts(l, []int32{i})
		return l
	}
	offsets := d.NewInts(2)
	d.WriteInts(offsets, []int32{0, 2})
	for name, f := range map[string]func(){
		"Sigmoid": func() { d.Sigmoid(3, three, two) },
		"Add":     func() { d.Add(3, three, three, two) },
		"BCE":     func() { d.BCE(3, three, three, three, two) },
		"Adam": func() {
			d.Adam(d.NewGroup(three), d.NewGroup(three), d.NewGroup(three), d.NewGroup(two), kernels.AdamStep{})
		},
		"TimeEncode": func() { d.TimeEncode(1, 3, two, three, three, three) },
		"Mix": func() {
			d.Mix(&kernels.Mixture{Rows: 1, Cols: 3, Self: three, Other: three, Alpha: three, Beta: two}, three)
		},
		"MixGrad": func() {
			d.MixGrad(&kernels.Mixture{Rows: 1, Cols: 3, Self: three, Other: three, Alpha: three, Beta: three}, three,
				&kernels.MixtureGrad{Self: two, Other: three, Alpha: three, Beta: three})
		},
		"EntmaxBlocks":   func() { d.EntmaxBlocks(3, 2, 1, three, three) },
		"SoftmaxBlocks":  func() { d.SoftmaxBlocks(3, 2, 1, three, three) },
		"no blocks":      func() { d.DivideSumBlocks(3, 0, 1, 1, three, three) },
		"GRUCell":        func() { d.GRUCell(1, 2, two, three, three, three, two) },
		"GatherRows":     func() { d.GatherRows(1, 1, 3, three, two, row(0)) },
		"ScatterRows":    func() { d.ScatterRows(1, 3, three, three, row(1)) },
		"ScatterAddRows": func() { d.ScatterAddRows(1, 1, 3, three, three, row(-1)) },
		"ColumnSums":     func() { d.ColumnSums(2, 2, two, three) },
		"FoldRows": func() {
			d.FoldRows(&kernels.Fold{
				Rows: 1, Cols: 3, Nodes: 1, Table: three, Self: row(0), Other: row(0), Events: 1, Event: row(0), Keep: three, Mix: three, Hit: three,
			}, two, three)
		},
		"Attend": func() {
			d.Attend(&kernels.Attention{
				Heads: 1, Channels: 1, Centres: 1, Nodes: 1, Edges: 1, Offsets: offsets, Index: row(0),
				Q: three, Out: three, K: three, V: three, E: three, Weights: three,
			})
		},
	} {
		mustPanic(t, name, f)
	}
}
