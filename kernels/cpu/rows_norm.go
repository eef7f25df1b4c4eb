package cpu

import "dgsbench/kernels/portable"

// LayerNorm normalises each row of x, which is len(scale) wide; see
// [portable.LayerNorm].
func (k Kernels) LayerNorm(dst, hat, inverse, x, scale, shift []float32, eps float32) {
	same("LayerNorm", len(scale), len(shift))
	same("LayerNorm", len(inverse)*len(scale), len(dst), len(hat), len(x))
	portable.LayerNorm(k, dst, hat, inverse, x, scale, shift, eps)
}

// LayerNormGrad sets the gradient of x and adds those of scale and shift; see
// [portable.LayerNormGrad].
func (k Kernels) LayerNormGrad(dx, dscale, dshift, dy, hat, inverse, scale []float32) {
	same("LayerNormGrad", len(scale), len(dscale), len(dshift))
	same("LayerNormGrad", len(inverse)*len(scale), len(dx), len(dy), len(hat))
	portable.LayerNormGrad(k, dx, dscale, dshift, dy, hat, inverse, scale)
}

// BatchNorm normalises each column of x, rows x len(scale), by the mean and
// the variance of the batch; see [portable.BatchNorm].
func (k Kernels) BatchNorm(dst, hat, mean, variance, inverse, x, scale, shift []float32, rows int, eps float32) {
	same("BatchNorm", len(scale), len(shift), len(mean), len(variance), len(inverse))
	same("BatchNorm", rows*len(scale), len(dst), len(hat), len(x))
	portable.BatchNorm(k, dst, hat, mean, variance, inverse, x, scale, shift, rows, eps)
}

// BatchNormFixed is dst = (x - mean)*inverse*scale + shift with a mean and an
// inverse that were found before, as at evaluation.
func (k Kernels) BatchNormFixed(dst, mean, inverse, x, scale, shift []float32, rows int) {
	same("BatchNormFixed", len(scale), len(shift), len(mean), len(inverse))
	same("BatchNormFixed", rows*len(scale), len(dst), len(x))
	portable.BatchNormFixed(k, dst, mean, inverse, x, scale, shift, rows)
}

// InverseRoots is dst = 1/sqrt(x + eps).
func (k Kernels) InverseRoots(dst, x []float32, eps float32) {
	same("InverseRoots", len(dst), len(x))
	portable.InverseRoots(dst, x, eps)
}

// BatchNormGrad sets the gradients of scale, shift and x; see
// [portable.BatchNormGrad].
func (k Kernels) BatchNormGrad(dx, dscale, dshift, dy, hat, inverse, scale []float32, rows int) {
	same("BatchNormGrad", len(scale), len(dscale), len(dshift), len(inverse))
	same("BatchNormGrad", rows*len(scale), len(dx), len(dy), len(hat))
	portable.BatchNormGrad(k, dx, dscale, dshift, dy, hat, inverse, scale, rows)
}

// UnitRows divides each row of x, which is cols wide, by its length, or by
// eps where that is larger; see [portable.UnitRows].
func (k Kernels) UnitRows(dst, inverse, x []float32, cols int, eps float32) {
	same("UnitRows", len(inverse)*cols, len(dst), len(x))
	portable.UnitRows(k, dst, inverse, x, cols, eps)
}

// UnitRowsGrad is its gradient; see [portable.UnitRowsGrad].
func (k Kernels) UnitRowsGrad(dx, dy, y, inverse []float32, cols int) {
	same("UnitRowsGrad", len(inverse)*cols, len(dx), len(dy), len(y))
	portable.UnitRowsGrad(k, dx, dy, y, inverse, cols)
}
