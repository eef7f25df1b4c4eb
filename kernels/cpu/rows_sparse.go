package cpu

import "dgsbench/kernels/portable"

// The kernels below are the portable ones at every level.

// SparsemaxBlocks is the sparsemax of scale*x in each block of h elements;
// see [portable.SparsemaxBlocks]. dst and x must not overlap.
func (k Kernels) SparsemaxBlocks(dst, x []float32, h int, scale float32) {
	same("SparsemaxBlocks", len(dst), len(x))
	checkBlocks("SparsemaxBlocks", len(x), h)
	portable.SparsemaxBlocks(dst, x, h, scale)
}

// SparsemaxBlocksGrad is its gradient. dx may be dy.
func (k Kernels) SparsemaxBlocksGrad(dx, dy, y []float32, h int, scale float32) {
	same("SparsemaxBlocksGrad", len(dx), len(dy), len(y))
	checkBlocks("SparsemaxBlocksGrad", len(y), h)
	portable.SparsemaxBlocksGrad(dx, dy, y, h, scale)
}

// EntmaxBlocks is 1.5-entmax of scale*x in each block of h elements; see
// [portable.EntmaxBlocks]. dst and x must not overlap.
func (k Kernels) EntmaxBlocks(dst, x []float32, h int, scale float32) {
	same("EntmaxBlocks", len(dst), len(x))
	checkBlocks("EntmaxBlocks", len(x), h)
	portable.EntmaxBlocks(dst, x, h, scale)
}

// EntmaxBlocksGrad is its gradient. dx may be dy.
func (k Kernels) EntmaxBlocksGrad(dx, dy, y []float32, h int, scale float32) {
	same("EntmaxBlocksGrad", len(dx), len(dy), len(y))
	checkBlocks("EntmaxBlocksGrad", len(y), h)
	portable.EntmaxBlocksGrad(dx, dy, y, h, scale)
}
