package cpu

import "dgsbench/kernels/portable"

// In the kernels below dst may be one of the other slices.

// Add is dst = a + b.
func (k Kernels) Add(dst, a, b []float32) {
	same("Add", len(dst), len(a), len(b))
	switch k.level {
	case AVX512:
		addAVX512(dst, a, b)
	case AVX2:
		addAVX2(dst, a, b)
	default:
		portable.Add(dst, a, b)
	}
}

// Sub is dst = a - b.
func (k Kernels) Sub(dst, a, b []float32) {
	same("Sub", len(dst), len(a), len(b))
	switch k.level {
	case AVX512:
		subAVX512(dst, a, b)
	case AVX2:
		subAVX2(dst, a, b)
	default:
		portable.Sub(dst, a, b)
	}
}

// Mul is dst = a * b.
func (k Kernels) Mul(dst, a, b []float32) {
	same("Mul", len(dst), len(a), len(b))
	switch k.level {
	case AVX512:
		mulAVX512(dst, a, b)
	case AVX2:
		mulAVX2(dst, a, b)
	default:
		portable.Mul(dst, a, b)
	}
}

// AddMul is dst += a * b, rounded once.
func (k Kernels) AddMul(dst, a, b []float32) {
	same("AddMul", len(dst), len(a), len(b))
	switch k.level {
	case AVX512:
		addMulAVX512(dst, a, b)
	case AVX2:
		addMulAVX2(dst, a, b)
	default:
		portable.AddMul(dst, a, b)
	}
}

// Affine is dst = a*x + b, rounded once.
func (k Kernels) Affine(dst []float32, a float32, x []float32, b float32) {
	same("Affine", len(dst), len(x))
	switch k.level {
	case AVX512:
		affineAVX512(dst, x, a, b)
	case AVX2:
		affineAVX2(dst, x, a, b)
	default:
		portable.Affine(dst, a, x, b)
	}
}

// Axpy is y += a * x, rounded once.
func (k Kernels) Axpy(y []float32, a float32, x []float32) {
	same("Axpy", len(y), len(x))
	switch k.level {
	case AVX512:
		axpyAVX512(y, x, a)
	case AVX2:
		axpyAVX2(y, x, a)
	default:
		portable.Axpy(y, a, x)
	}
}

// AxpySum is y += a * (u + v), rounded after each sum.
func (k Kernels) AxpySum(y []float32, a float32, u, v []float32) {
	same("AxpySum", len(y), len(u), len(v))
	switch k.level {
	case AVX512:
		axpySumAVX512(y, u, v, a)
	case AVX2:
		axpySumAVX2(y, u, v, a)
	default:
		portable.AxpySum(y, a, u, v)
	}
}

// ReLU is dst = max(x, 0); NaN stays NaN.
func (k Kernels) ReLU(dst, x []float32) {
	same("ReLU", len(dst), len(x))
	switch k.level {
	case AVX512:
		reluAVX512(dst, x)
	case AVX2:
		reluAVX2(dst, x)
	default:
		portable.ReLU(dst, x)
	}
}

// ReLUGrad is dx = dy where y > 0, else 0. y may be the input of the ReLU or its
// output.
func (k Kernels) ReLUGrad(dx, dy, y []float32) {
	same("ReLUGrad", len(dx), len(dy), len(y))
	switch k.level {
	case AVX512:
		reluGradAVX512(dx, dy, y)
	case AVX2:
		reluGradAVX2(dx, dy, y)
	default:
		portable.ReLUGrad(dx, dy, y)
	}
}
