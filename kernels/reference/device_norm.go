package reference

import (
	"dgsbench/kernels"
	"dgsbench/kernels/portable"
)

// SoftmaxBlocks is the softmax of scale x in each block of h numbers.
func (Device) SoftmaxBlocks(n, h int, scale float64, dst, x kernels.Buffer) {
	portable.SoftmaxBlocks(take(dst, n), take(x, n), h, scale)
}

// SoftmaxBlocksGrad is its gradient.
func (Device) SoftmaxBlocksGrad(n, h int, scale float64, dx, g, y kernels.Buffer) {
	portable.SoftmaxBlocksGrad(take(dx, n), take(g, n), take(y, n), h, scale)
}

// DivideSumBlocks divides each block of h numbers by its sum + eps.
func (Device) DivideSumBlocks(n, h int, eps, floor float64, dst, z kernels.Buffer) {
	portable.DivideSumBlocks(take(dst, n), take(z, n), h, eps, floor)
}

// DivideSumBlocksGrad is its gradient.
func (Device) DivideSumBlocksGrad(n, h int, eps, floor float64, dz, g, y, z kernels.Buffer) {
	portable.DivideSumBlocksGrad(take(dz, n), take(g, n), take(y, n), take(z, n), h, eps, floor)
}

// LayerNorm normalises the rows of x.
func (Device) LayerNorm(rows, cols int, eps float64, dst, hat, inverse, x, scale, shift kernels.Buffer) {
	n := rows * cols
	portable.LayerNorm(plain{}, take(dst, n), take(hat, n), take(inverse, rows), take(x, n), take(scale, cols), take(shift, cols), eps)
}

// LayerNormGrad is its gradient.
func (d Device) LayerNormGrad(rows, cols int, dx, dscale, dshift, g, hat, inverse, scale kernels.Buffer) {
	n := rows * cols
	d.Zero(cols, dscale)
	d.Zero(cols, dshift)
	portable.LayerNormGrad(plain{}, take(dx, n), take(dscale, cols), take(dshift, cols), take(g, n), take(hat, n), take(inverse, rows), take(scale, cols))
}

// BatchNorm normalises the columns of x.
func (Device) BatchNorm(rows, cols int, eps float64, dst, hat, mean, variance, inverse, x, scale, shift kernels.Buffer) {
	n := rows * cols
	portable.BatchNorm(plain{}, take(dst, n), take(hat, n), take(mean, cols), take(variance, cols), take(inverse, cols), take(x, n), take(scale, cols), take(shift, cols), rows, eps)
}

// BatchNormFixed takes mean and variance as given.
func (Device) BatchNormFixed(rows, cols int, eps float64, dst, inverse, x, mean, variance, scale, shift kernels.Buffer) {
	n := rows * cols
	portable.InverseRoots(take(inverse, cols), take(variance, cols), eps)
	portable.BatchNormFixed(plain{}, take(dst, n), take(mean, cols), take(inverse, cols), take(x, n), take(scale, cols), take(shift, cols), rows)
}

// BatchNormGrad is the gradient of BatchNorm.
func (Device) BatchNormGrad(rows, cols int, dx, dscale, dshift, g, hat, inverse, scale kernels.Buffer) {
	n := rows * cols
	portable.BatchNormGrad(plain{}, take(dx, n), take(dscale, cols), take(dshift, cols), take(g, n), take(hat, n), take(inverse, cols), take(scale, cols), rows)
}

// UnitRows divides rows by their lengths.
func (Device) UnitRows(rows, cols int, eps float64, dst, inverse, x kernels.Buffer) {
	portable.UnitRows(plain{}, take(dst, rows*cols), take(inverse, rows), take(x, rows*cols), cols, eps)
}

// UnitRowsGrad is its gradient.
func (Device) UnitRowsGrad(rows, cols int, dx, g, y, inverse kernels.Buffer) {
	portable.UnitRowsGrad(plain{}, take(dx, rows*cols), take(g, rows*cols), take(y, rows*cols), take(inverse, rows), cols)
}
