//go:build gpu

package cuda

import (
	"dgsbench/kernels"
	"dgsbench/kernels/cuda/driver"
)

// gemmKernel is one of matrix products: a block has a square of results, and
// each of its groups of threads slices of the operands in shared memory.
type gemmKernel struct {
	kernel              string
	side, depth, groups int
}

var (
	largeGemm = gemmKernel{"gemm", 64, 16, 1}
	smallGemm = gemmKernel{"gemm_small", 16, 32, 4}
)

// launch covers the results. Slices are as in gemm.cu: two of either operand.
func (p *gemmKernel) launch(rows, cols int) driver.Launch {
	pad := max(p.side/16, 2)
	return driver.Launch{
		Blocks:  [2]int{(rows + p.side - 1) / p.side, (cols + p.side - 1) / p.side},
		Threads: mostThreads,
		Shared:  4 * p.groups * p.depth * (p.side + pad) * wordBytes,
	}
}

// Gemm is c = op(a, b), with bias and relu where asked for. Large tiles need
// fewer reads, small ones leave no multiprocessor without work and sum a
// quarter of k at a time.
func (d *Device) Gemm(op kernels.Op, m, n, k int, a, b, c, bias kernels.Buffer, relu bool) {
	if m == 0 || n == 0 {
		return
	}
	p := &largeGemm
	if l := p.launch(m, n); l.Blocks[0]*l.Blocks[1] < d.card.Info().Multiprocessors {
		p = &smallGemm
	}
	d.launch(p.kernel, p.launch(m, n), whole(m), whole(n), whole(k), at(a, m*k), flag(op == kernels.TN),
		at(b, k*n), flag(op == kernels.NT), at(c, m*n), maybe(bias, n), flag(relu))
}

// Zero is dst = 0.
func (d *Device) Zero(n int, dst kernels.Buffer) { d.fill(driver.Ptr(at(dst, n)), n*wordBytes) }

// Add is dst = a + b.
func (d *Device) Add(n int, dst, a, b kernels.Buffer) {
	d.each("add", n, at(dst, n), at(a, n), at(b, n))
}

// Mul is dst = a b, elementwise.
func (d *Device) Mul(n int, dst, a, b kernels.Buffer) {
	d.each("mul", n, at(dst, n), at(a, n), at(b, n))
}

// Affine is dst = a x + b.
func (d *Device) Affine(n int, dst kernels.Buffer, a float64, x kernels.Buffer, b float64) {
	d.each("affine", n, at(dst, n), single(a), at(x, n), single(b))
}

// Blend is dst = keep dst + add x.
func (d *Device) Blend(n int, dst kernels.Buffer, keep float64, x kernels.Buffer, add float64) {
	d.each("blend", n, at(dst, n), single(keep), at(x, n), single(add))
}

// AddReLU is dst = relu(a + b).
func (d *Device) AddReLU(n int, dst, a, b kernels.Buffer) {
	d.each("add_relu", n, at(dst, n), at(a, n), at(b, n))
}

// ReLUGrad is dst = g where y > 0, else 0.
func (d *Device) ReLUGrad(n int, dst, y, g kernels.Buffer) {
	d.each("relu_grad", n, at(dst, n), at(y, n), at(g, n))
}

// Clamp is dst = min(max(dst, low), high).
func (d *Device) Clamp(n int, dst kernels.Buffer, low, high float64) {
	d.each("clamp", n, at(dst, n), single(low), single(high))
}

// ColumnSums is the sum over the rows of x.
func (d *Device) ColumnSums(rows, cols int, dst, x kernels.Buffer) {
	d.sumColumns("column_sums", rows, cols, at(dst, cols), at(x, rows*cols))
}

// BCE is the weighted binary cross-entropy on logits, summed in float64.
func (d *Device) BCE(rows int, loss, z, y, w kernels.Buffer) {
	const sumBytes = 8
	d.launch("bce", driver.Launch{Blocks: [2]int{1, 1}, Threads: mostThreads, Shared: mostThreads * sumBytes},
		whole(rows), at(loss, 1), at(z, rows), at(y, rows), at(w, rows))
}

// BCEGrad is its gradient.
func (d *Device) BCEGrad(rows int, dz, z, y, w, g kernels.Buffer) {
	d.each("bce_grad", rows, at(dz, rows), at(z, rows), at(y, rows), at(w, rows), at(g, 1))
}

// IsFinite reports whether all numbers are finite. It waits for the answer.
func (d *Device) IsFinite(n int, b kernels.Buffer) bool {
	answer := list(d.found, 1)
	d.fill(driver.Ptr(answer), wordBytes)
	d.each("see", n, at(b, n), whole(1), answer)
	return d.readInts(d.found, 1)[0] == 0
}

// readInts copies the first n numbers of a list.
func (d *Device) readInts(l kernels.Ints, n int) []int32 {
	out := make([]int32, n)
	d.download(bytesOf(out), driver.Ptr(list(l, n)))
	return out
}
