package cpu_test

import (
	"testing"

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
	unaryCase("Exp", cpu.Kernels.Exp),
	unaryCase("Tanh", cpu.Kernels.Tanh),
	unaryCase("Sigmoid", cpu.Kernels.Sigmoid),
	unaryCase("Softplus", cpu.Kernels.Softplus),
	unaryCase("Cos", cpu.Kernels.Cos),
	unaryCase("Sin", cpu.Kernels.Sin),
	unaryCase("ReLU", cpu.Kernels.ReLU),
	unaryCase("Affine", func(k cpu.Kernels, dst, x []float32) { k.Affine(dst, -1.7, x, .3) }),
	unaryCase("Axpy", func(k cpu.Kernels, dst, x []float32) { k.Axpy(dst, -1.7, x) }),
	binaryCase("Add", cpu.Kernels.Add),
	binaryCase("Sub", cpu.Kernels.Sub),
	binaryCase("Mul", cpu.Kernels.Mul),
	binaryCase("AddMul", cpu.Kernels.AddMul),
	binaryCase("ReLUGrad", cpu.Kernels.ReLUGrad),
	binaryCase("AxpySum", func(k cpu.Kernels, y, u, v []float32) { k.AxpySum(y, 2.1, u, v) }),
	reduceCase("Sum", func(k cpu.Kernels, a, _, _ []float32) float32 { return k.Sum(a) }),
	reduceCase("Dot", func(k cpu.Kernels, a, b, _ []float32) float32 { return k.Dot(a, b) }),
	reduceCase("DotSum", func(k cpu.Kernels, a, u, v []float32) float32 { return k.DotSum(a, u, v) }),
	{"BCELoss", func(a *arrays, n int) func(cpu.Kernels) {
		s, loss, x, y, w := a.normal(1), a.normal(n), a.normal(n), a.positive(n), a.positive(n)
		return func(k cpu.Kernels) { s[0] = float32(k.BCELoss(loss, x, y, w)) }
	}},
	{"BCEGrad", func(a *arrays, n int) func(cpu.Kernels) {
		dx, x, y, w := a.normal(n), a.normal(n), a.positive(n), a.positive(n)
		return func(k cpu.Kernels) { k.BCEGrad(dx, x, y, w, .25) }
	}},
	{"Adam", func(a *arrays, n int) func(cpu.Kernels) {
		p, g, mean, square := a.normal(n), a.normal(n), a.normal(n), a.positive(n)
		step := cpu.AdamStep{Size: .01, Root: 3, Beta1: .9, Rest1: .1, Beta2: .999, Rest2: .001, Eps: 1e-8, WeightDecay: .05}
		return func(k cpu.Kernels) { k.Adam(p, g, mean, square, step) }
	}},
	{"Momentum", func(a *arrays, n int) func(cpu.Kernels) {
		p, g, velocity := a.normal(n), a.normal(n), a.normal(n)
		return func(k cpu.Kernels) { k.Momentum(p, g, velocity, .05, .9, .01) }
	}},
	timeCase("TimeEncode", func(k cpu.Kernels, enc []float32, stride int, dt, w, b, _, _ []float32) {
		k.TimeEncode(enc, stride, dt, w, b)
	}),
	timeCase("TimeEncodeGrad", func(k cpu.Kernels, enc []float32, stride int, dt, w, b, dw, db []float32) {
		k.TimeEncodeGrad(dw, db, enc, stride, dt, w, b)
	}),
}

// timeCase has rows that are longer than the encoding; with special values,
// some times lie beyond the range of the vector kernel.
func timeCase(name string, f func(k cpu.Kernels, enc []float32, stride int, dt, w, b, dw, db []float32)) kernelCase {
	return kernelCase{name, func(a *arrays, n int) func(cpu.Kernels) {
		const rows = 5
		stride := n + 3
		enc, dt := a.normal(rows*stride), a.normal(rows)
		special := a.special
		a.special = false
		w, b, dw, db := a.normal(n), a.normal(n), a.normal(n), a.normal(n)
		a.special = special
		dt[0], dt[1] = 2.6e6, 0
		if special {
			dt[2] = 1e20
		}
		return func(k cpu.Kernels) { f(k, enc, stride, dt, w, b, dw, db) }
	}}
}

func TestMathConforms(t *testing.T) { conform(t, mathCases, 1e-6) }

// TestInPlace runs kernels that may have dst be an input that way.
func TestInPlace(t *testing.T) {
	cases := []struct {
		name string
		f    func(k cpu.Kernels, dst, x []float32)
	}{
		{"Exp", cpu.Kernels.Exp},
		{"Tanh", cpu.Kernels.Tanh},
		{"Sigmoid", cpu.Kernels.Sigmoid},
		{"Softplus", cpu.Kernels.Softplus},
		{"ReLU", cpu.Kernels.ReLU},
		{"Add", func(k cpu.Kernels, dst, x []float32) { k.Add(dst, x, x) }},
		{"softmax of 3", func(k cpu.Kernels, dst, x []float32) { k.SoftmaxBlocks(dst, x, 3, 1) }},
		{"softmax of 33", func(k cpu.Kernels, dst, x []float32) { k.SoftmaxBlocks(dst, x, 33, 1) }},
		{"divide by sum of 3", func(k cpu.Kernels, dst, x []float32) { k.DivideSumBlocks(dst, x, 3, 1, 0) }},
		{"divide by sum of 33", func(k cpu.Kernels, dst, x []float32) { k.DivideSumBlocks(dst, x, 33, 1, 0) }},
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

// TestWrongLength passes one slice that is too short.
func TestWrongLength(t *testing.T) {
	three, two := make([]float32, 3), make([]float32, 2)
	k := cpu.Best()
	for name, f := range map[string]func(){
		"Exp":        func() { k.Exp(three, two) },
		"Add":        func() { k.Add(three, three, two) },
		"Dot":        func() { k.Dot(three, two) },
		"BCELoss":    func() { k.BCELoss(three, three, three, two) },
		"Adam":       func() { k.Adam(three, three, three, two, cpu.AdamStep{}) },
		"TimeEncode": func() { k.TimeEncode(two, 3, three[:1], three, three) },
		"Mix":        func() { k.Mix(three, &cpu.Mixture{Cols: 3, Self: three, Other: three, Alpha: three, Beta: two}) },
		"MixGrad": func() {
			k.MixGrad(&cpu.MixtureGrad{}, &cpu.Mixture{Cols: 3, Self: three, Other: three, Alpha: three, Beta: three}, three)
		},
		"EntmaxBlocks":   func() { k.EntmaxBlocks(three, three, 2, 1) },
		"SoftmaxBlocks":  func() { k.SoftmaxBlocks(three, three, 2, 1) },
		"GRUCell":        func() { k.GRUCell(two, three, three, three, two, 2) },
		"GatherRows":     func() { k.GatherRows(three, 3, two, 3, 3, []int32{0}) },
		"ScatterRows":    func() { k.ScatterRows(three, 3, three, 3, 3, []int32{1}) },
		"ScatterAddRows": func() { k.ScatterAddRows(three, 3, three, 3, 3, []int32{-1}) },
		"AddColumnSums":  func() { k.AddColumnSums(two, three, 2, 2) },
		"Attend":         func() { k.Attend(&cpu.Attention{Heads: 1, Channels: 1, Offsets: []int32{0, 2}, Index: []int32{0}}) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		})
	}
}
