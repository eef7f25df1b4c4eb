//go:build gpu

package cuda

import "dgsbench/kernels"

// eachBlock launches a kernel with a group of lanes for each block of h of n
// numbers.
func (d *Device) eachBlock(name string, n, h int, parameters ...uint64) {
	if n > 0 {
		d.eachRow(name, n/h, h, parameters...)
	}
}

// SoftmaxBlocks is the softmax of scale x in each block of h numbers.
func (d *Device) SoftmaxBlocks(n, h int, scale float64, dst, x kernels.Buffer) {
	d.eachBlock("softmax_blocks", n, h, single(scale), at(dst, n), at(x, n))
}

// SoftmaxBlocksGrad is its gradient.
func (d *Device) SoftmaxBlocksGrad(n, h int, scale float64, dx, g, y kernels.Buffer) {
	d.eachBlock("softmax_blocks_grad", n, h, single(scale), at(dx, n), at(g, n), at(y, n))
}

// DivideSumBlocks divides each block of h numbers by its sum + eps.
func (d *Device) DivideSumBlocks(n, h int, eps, floor float64, dst, z kernels.Buffer) {
	d.eachBlock("divide_sum_blocks", n, h, single(eps), single(floor), at(dst, n), at(z, n))
}

// DivideSumBlocksGrad is its gradient.
func (d *Device) DivideSumBlocksGrad(n, h int, eps, floor float64, dz, g, y, z kernels.Buffer) {
	d.eachBlock("divide_sum_blocks_grad", n, h, single(eps), single(floor), at(dz, n), at(g, n), at(y, n), at(z, n))
}

// LayerNorm normalises the rows of x.
func (d *Device) LayerNorm(rows, cols int, eps float64, dst, hat, inverse, x, scale, shift kernels.Buffer) {
	n := rows * cols
	d.eachRow("layer_norm", rows, cols, single(eps), at(dst, n), at(hat, n), at(inverse, rows), at(x, n), at(scale, cols), at(shift, cols))
}

// LayerNormGrad is its gradient.
func (d *Device) LayerNormGrad(rows, cols int, dx, dscale, dshift, g, hat, inverse, scale kernels.Buffer) {
	n := rows * cols
	d.sumColumns("scale_grad", rows, cols, at(dscale, cols), at(dshift, cols), at(g, n), at(hat, n))
	d.eachRow("layer_norm_grad", rows, cols, at(dx, n), at(g, n), at(hat, n), at(inverse, rows), at(scale, cols))
}

// BatchNorm normalises the columns of x.
func (d *Device) BatchNorm(rows, cols int, eps float64, dst, hat, mean, variance, inverse, x, scale, shift kernels.Buffer) {
	n := rows * cols
	d.sumColumns("batch_norm", rows, cols, single(eps), at(dst, n), at(hat, n), at(mean, cols), at(variance, cols), at(inverse, cols),
		at(x, n), at(scale, cols), at(shift, cols))
}

// BatchNormFixed takes mean and variance as given.
func (d *Device) BatchNormFixed(rows, cols int, eps float64, dst, inverse, x, mean, variance, scale, shift kernels.Buffer) {
	n := rows * cols
	d.eachNumber("batch_norm_fixed", rows, cols, single(eps), at(dst, n), at(inverse, cols), at(x, n), at(mean, cols), at(variance, cols),
		at(scale, cols), at(shift, cols))
}

// BatchNormGrad is the gradient of BatchNorm.
func (d *Device) BatchNormGrad(rows, cols int, dx, dscale, dshift, g, hat, inverse, scale kernels.Buffer) {
	n := rows * cols
	d.sumColumns("batch_norm_grad", rows, cols, at(dx, n), at(dscale, cols), at(dshift, cols), at(g, n), at(hat, n), at(inverse, cols), at(scale, cols))
}

// UnitRows divides rows by their lengths.
func (d *Device) UnitRows(rows, cols int, eps float64, dst, inverse, x kernels.Buffer) {
	d.eachRow("unit_rows", rows, cols, single(eps), at(dst, rows*cols), at(inverse, rows), at(x, rows*cols))
}

// UnitRowsGrad is its gradient.
func (d *Device) UnitRowsGrad(rows, cols int, dx, g, y, inverse kernels.Buffer) {
	n := rows * cols
	d.eachRow("unit_rows_grad", rows, cols, at(dx, n), at(g, n), at(y, n), at(inverse, rows))
}
