package cpu

//go:generate go run ./internal/gen/math

import "dgsbench/kernels/portable"

// The functions below are within 2 units in the last place of the exact
// value for every float32, infinities and denormal results included, and
// give NaN for NaN. dst may be x, except for Cos and Sin.

// Exp is dst = e^x.
func (k Kernels) Exp(dst, x []float32) {
	same("Exp", len(dst), len(x))
	switch k.level {
	case AVX512:
		expAVX512(dst, x)
	case AVX2:
		expAVX2(dst, x)
	default:
		portable.Exp(dst, x)
	}
}

// Tanh is dst = tanh(x).
func (k Kernels) Tanh(dst, x []float32) {
	same("Tanh", len(dst), len(x))
	switch k.level {
	case AVX512:
		tanhAVX512(dst, x)
	case AVX2:
		tanhAVX2(dst, x)
	default:
		portable.Tanh(dst, x)
	}
}

// Sigmoid is dst = 1/(1 + e^-x).
func (k Kernels) Sigmoid(dst, x []float32) {
	same("Sigmoid", len(dst), len(x))
	switch k.level {
	case AVX512:
		sigmoidAVX512(dst, x)
	case AVX2:
		sigmoidAVX2(dst, x)
	default:
		portable.Sigmoid(dst, x)
	}
}

// Softplus is dst = log(1 + e^x).
func (k Kernels) Softplus(dst, x []float32) {
	same("Softplus", len(dst), len(x))
	switch k.level {
	case AVX512:
		softplusAVX512(dst, x)
	case AVX2:
		softplusAVX2(dst, x)
	default:
		portable.Softplus(dst, x)
	}
}

// Cos is dst = cos(x); NaN for infinities. dst and x must not overlap.
func (k Kernels) Cos(dst, x []float32) {
	same("Cos", len(dst), len(x))
	far := 0
	switch k.level {
	case AVX512:
		far = cosAVX512(dst, x)
	case AVX2:
		far = cosAVX2(dst, x)
	default:
		portable.Cos(dst, x)
	}
	if far != 0 {
		eachFar(dst, x, portable.Cos[float32])
	}
}

// Sin is dst = sin(x); NaN for infinities. dst and x must not overlap.
func (k Kernels) Sin(dst, x []float32) {
	same("Sin", len(dst), len(x))
	far := 0
	switch k.level {
	case AVX512:
		far = sinAVX512(dst, x)
	case AVX2:
		far = sinAVX2(dst, x)
	default:
		portable.Sin(dst, x)
	}
	if far != 0 {
		eachFar(dst, x, portable.Sin[float32])
	}
}

// trigLimit is the size of argument, some thirty million years in seconds,
// up to which the vector kernels of cos and sin are exact.
const trigLimit = 1 << 50

// eachFar does the arguments beyond trigLimit again.
func eachFar(dst, x []float32, f func(dst, x []float32)) {
	for i, v := range x {
		if v > trigLimit || v < -trigLimit {
			f(dst[i:i+1], x[i:i+1])
		}
	}
}
