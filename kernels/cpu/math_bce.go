package cpu

import "dgsbench/kernels/portable"

// BCELoss writes the weighted binary cross-entropy of logits x and targets y,
//
//	loss = w * (max(x, 0) - x*y + log(1 + e^-|x|)),
//
// row by row, and returns the sum over the rows, taken in order in float64.
func (k Kernels) BCELoss(loss, x, y, w []float32) float64 {
	same("BCELoss", len(loss), len(x), len(y), len(w))
	switch k.level {
	case AVX512:
		bceLossAVX512(loss, x, y, w)
	case AVX2:
		bceLossAVX2(loss, x, y, w)
	default:
		return portable.BCELoss(loss, x, y, w)
	}
	return portable.SumInOrder(loss)
}

// BCEGrad is the gradient of scale times that sum,
// dx = scale * w * (sigmoid(x) - y). dx may be one of the others.
func (k Kernels) BCEGrad(dx, x, y, w []float32, scale float32) {
	same("BCEGrad", len(dx), len(x), len(y), len(w))
	switch k.level {
	case AVX512:
		bceGradAVX512(dx, x, y, w, scale)
	case AVX2:
		bceGradAVX2(dx, x, y, w, scale)
	default:
		portable.BCEGrad(dx, x, y, w, scale)
	}
}
