package cpu

import "dgsbench/kernels"

// SoftmaxBlocks is the softmax of scale x in each block of h numbers.
func (d *Device) SoftmaxBlocks(n, h int, scale float64, dst, x kernels.Buffer) {
	d.kernels.SoftmaxBlocks(take(dst, n), take(x, n), h, float32(scale))
}

// SoftmaxBlocksGrad is its gradient.
func (d *Device) SoftmaxBlocksGrad(n, h int, scale float64, dx, g, y kernels.Buffer) {
	d.kernels.SoftmaxBlocksGrad(take(dx, n), take(g, n), take(y, n), h, float32(scale))
}

// DivideSumBlocks divides each block of h numbers by its sum + eps.
func (d *Device) DivideSumBlocks(n, h int, eps, floor float64, dst, z kernels.Buffer) {
	d.kernels.DivideSumBlocks(take(dst, n), take(z, n), h, float32(eps), float32(floor))
}

// DivideSumBlocksGrad is its gradient.
func (d *Device) DivideSumBlocksGrad(n, h int, eps, floor float64, dz, g, y, z kernels.Buffer) {
	d.kernels.DivideSumBlocksGrad(take(dz, n), take(g, n), take(y, n), take(z, n), h, float32(eps), float32(floor))
}

// LayerNorm normalises the rows of x.
func (d *Device) LayerNorm(rows, cols int, eps float64, dst, hat, inverse, x, scale, shift kernels.Buffer) {
	n := rows * cols
	d.kernels.LayerNorm(take(dst, n), take(hat, n), take(inverse, rows), take(x, n), take(scale, cols), take(shift, cols), float32(eps))
}

// LayerNormGrad is its gradient.
func (d *Device) LayerNormGrad(rows, cols int, dx, dscale, dshift, g, hat, inverse, scale kernels.Buffer) {
	n := rows * cols
	d.Zero(cols, dscale)
	d.Zero(cols, dshift)
	d.kernels.LayerNormGrad(take(dx, n), take(dscale, cols), take(dshift, cols), take(g, n), take(hat, n), take(inverse, rows), take(scale, cols))
}

// BatchNorm normalises the columns of x.
func (d *Device) BatchNorm(rows, cols int, eps float64, dst, hat, mean, variance, inverse, x, scale, shift kernels.Buffer) {
	n := rows * cols
	d.kernels.BatchNorm(take(dst, n), take(hat, n), take(mean, cols), take(variance, cols), take(inverse, cols), take(x, n), take(scale, cols), take(shift, cols), rows, float32(eps))
}

// BatchNormFixed takes mean and variance as given.
func (d *Device) BatchNormFixed(rows, cols int, eps float64, dst, inverse, x, mean, variance, scale, shift kernels.Buffer) {
	n := rows * cols
	d.kernels.InverseRoots(take(inverse, cols), take(variance, cols), float32(eps))
	d.kernels.BatchNormFixed(take(dst, n), take(mean, cols), take(inverse, cols), take(x, n), take(scale, cols), take(shift, cols), rows)
}

// BatchNormGrad is the gradient of BatchNorm.
func (d *Device) BatchNormGrad(rows, cols int, dx, dscale, dshift, g, hat, inverse, scale kernels.Buffer) {
	n := rows * cols
	d.kernels.BatchNormGrad(take(dx, n), take(dscale, cols), take(dshift, cols), take(g, n), take(hat, n), take(inverse, cols), take(scale, cols), rows)
}

// UnitRows divides rows by their lengths.
func (d *Device) UnitRows(rows, cols int, eps float64, dst, inverse, x kernels.Buffer) {
	d.kernels.UnitRows(take(dst, rows*cols), take(inverse, rows), take(x, rows*cols), cols, float32(eps))
}

// UnitRowsGrad is its gradient.
func (d *Device) UnitRowsGrad(rows, cols int, dx, g, y, inverse kernels.Buffer) {
	d.kernels.UnitRowsGrad(take(dx, rows*cols), take(g, rows*cols), take(y, rows*cols), take(inverse, rows), cols)
}
