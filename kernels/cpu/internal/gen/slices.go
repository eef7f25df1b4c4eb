package main

import "github.com/mmcloughlin/avo/build"

// kernel is one function on slices, for each register width.
type kernel struct {
	name, signature string
	body            func(m *machine)
}

// sliceKernels writes all kernels, and the constants that they share.
func sliceKernels(kernels []kernel) func(ctx *build.Context) {
	return func(ctx *build.Context) {
		constants := newPool()
		for _, k := range kernels {
			for _, lanes := range []int{8, 16} {
				m := &machine{registers: registers{ctx, lanes}, constants: constants}
				m.function(k.name+map[int]string{8: "AVX2", 16: "AVX512"}[lanes], k.signature)
				k.body(m)
				m.leave()
			}
		}
		constants.write(ctx)
	}
}

const (
	unarySignature  = "func(dst, x []float32)"
	binarySignature = "func(dst, a, b []float32)"
)

var mathKernels = []kernel{
	{"relu", unarySignature, unary(relu)},
	{"add", binarySignature, binary((*machine).add)},
	{"mul", binarySignature, binary((*machine).mul)},
	{"reluGrad", "func(dx, dy, y []float32)", reluGrad},
	{"addMul", binarySignature, addMul},
	{"affine", "func(dst, x []float32, a, b float32)", affine},
	{"axpy", "func(y, x []float32, a float32)", axpy},
	{"axpySum", "func(y, u, v []float32, a float32)", axpySum},

	{"exp", unarySignature, unary(func(m *machine) func(V) V { return m.exponential().of })},
	{"sigmoid", unarySignature, unary(func(m *machine) func(V) V { return m.exponential().sigmoid })},
	{"bceLoss", "func(loss, x, y, w []float32)", bceLoss},
	{"bceGrad", "func(dx, x, y, w []float32, scale float32)", bceGrad},
	{"sum", "func(x []float32) (s float32)", sum},
	{"dot", "func(a, b []float32) (s float32)", dot},
	{"dotSum", "func(a, u, v []float32) (s float32)", dotSum},

	// Kernels over contiguous blocks of h columns come in two forms. Packed ones
	// hold several whole blocks in a register, with a table that says which lane
	// meets which; wide ones do one block a call, for h above the register
	// width. Both sum a block in the sixteen lanes of tree, so it does not matter
	// which of them a level uses for some h.
	{"softmaxPacked", "func(dst, x []float32, table *uint32, h, step int, scale float32)", softmaxPacked},
	{"softmaxGradPacked", "func(dx, dy, y []float32, table *uint32, h, step int, scale float32)", softmaxGradPacked},
	{"divideSumPacked", "func(dst, z []float32, table *uint32, h, step int, eps, floor float32)", divideSumPacked},
	{"divideSumGradPacked", "func(dz, dy, y, z []float32, table *uint32, h, step int, eps, floor float32)", divideSumGradPacked},
	{"softmaxWide", "func(dst, x []float32, scale float32)", softmaxWide},
	{"softmaxGradWide", "func(dx, dy, y []float32, scale float32)", softmaxGradWide},
	{"divideSumWide", "func(dst, z []float32, eps, floor float32)", divideSumWide},
	{"divideSumGradWide", "func(dz, dy, y, z []float32, eps, floor float32)", divideSumGradWide},

	{"gruForward", "func(h, gates, gi, gh, q []float32)", gruForward},
	{"gruBackward", "func(dgi, dgh, dq, dh, gates, gh, q []float32)", gruBackward},
	{"edgeGrad", "func(dq, dk, dv, de, q, k, e, out []float32, score, weight float32)", edgeGrad},

	// Those without e take it for zeros.
	{"sigmoidGrad", "func(dx, g, y []float32)", sigmoidGrad},
	{"mix", "func(dst, self, other, e, alpha, beta []float32)", mix(true)},
	{"mixWithoutE", "func(dst, self, other, alpha, beta []float32)", mix(false)},
	{"mixGrad", "func(dself, dother, de, dalpha, dbeta, g, self, other, e, alpha, beta []float32)", mixGrad(true)},
	{"mixGradWithoutE", "func(dself, dother, dalpha, dbeta, g, self, other, alpha, beta []float32)", mixGrad(false)},

	{"timeForward", "func(dst, w, b []float32, dt float32)", timeForward},
	{"timeBackward", "func(dw, db, dout, w, b []float32, dt float32)", timeBackward},
	{"adam", "func(p, g, mean, square []float32, decay, beta1, rest1, beta2, rest2, size, root, eps float32)", adam},
	{"momentum", "func(p, g, velocity []float32, decay, momentum, rate float32)", momentum},
}

var histogramKernels = []kernel{
	{"foldRow", "func(dst, self, other []float32, keep, mix float32)", fold(false)},
	{"foldAdd", "func(dst, self, other, row []float32, keep, mix, hit float32)", fold(true)},
	{"sumRows", "func(dst *float32, table []float32, index []int32, rows, stride, width int) (inside bool)", sumRows},
	{"bucketize", "func(dst []int32, x, edges []float32, first []int32, edgeRows int)", bucketize},
}
