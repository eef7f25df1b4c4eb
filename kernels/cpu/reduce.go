package cpu

import "dgsbench/kernels/portable"

// The sums below have one order on every level: sixteen lanes, lane i adding
// elements i, i+16, i+32, ... in order; then lanes i and i+8 are added, then
// i and i+4, i+2 and i+1.

// Sum is the sum of x.
func (k Kernels) Sum(x []float32) float32 {
	switch k.level {
	case AVX512:
		return sumAVX512(x)
	case AVX2:
		return sumAVX2(x)
	}
	return portable.Sum(x)
}

// Dot is the sum of a*b.
func (k Kernels) Dot(a, b []float32) float32 {
	same("Dot", len(a), len(b))
	switch k.level {
	case AVX512:
		return dotAVX512(a, b)
	case AVX2:
		return dotAVX2(a, b)
	}
	return portable.Dot(a, b)
}

// DotSum is the sum of a*(u + v).
func (k Kernels) DotSum(a, u, v []float32) float32 {
	same("DotSum", len(a), len(u), len(v))
	switch k.level {
	case AVX512:
		return dotSumAVX512(a, u, v)
	case AVX2:
		return dotSumAVX2(a, u, v)
	}
	return portable.DotSum(a, u, v)
}
