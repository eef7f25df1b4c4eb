package reference

import (
	"dgsbench/kernels"
	"dgsbench/kernels/portable"
)

// Zero is dst = 0.
func (Device) Zero(n int, dst kernels.Buffer) { clear(take(dst, n)) }

// Add is dst = a + b.
func (Device) Add(n int, dst, a, b kernels.Buffer) {
	portable.Add(take(dst, n), take(a, n), take(b, n))
}

// Mul is dst = a b, elementwise.
func (Device) Mul(n int, dst, a, b kernels.Buffer) {
	portable.Mul(take(dst, n), take(a, n), take(b, n))
}

// Blend is dst = keep dst + add x.
func (Device) Blend(n int, dst kernels.Buffer, keep float64, x kernels.Buffer, add float64) {
	to := take(dst, n)
	portable.Affine(to, keep, to, 0)
	portable.Axpy(to, add, take(x, n))
}

// AddReLU is dst = relu(a + b).
func (Device) AddReLU(n int, dst, a, b kernels.Buffer) {
	to := take(dst, n)
	portable.Add(to, take(a, n), take(b, n))
	portable.ReLU(to, to)
}

// ReLUGrad is dst = g where y > 0, else 0.
func (Device) ReLUGrad(n int, dst, y, g kernels.Buffer) {
	portable.ReLUGrad(take(dst, n), take(g, n), take(y, n))
}

// ColumnSums is the sum over the rows of x, in order.
func (Device) ColumnSums(rows, cols int, dst, x kernels.Buffer) {
	sums := take(dst, cols)
	clear(sums)
	portable.AddColumnSums(plain{}, sums, take(x, rows*cols), cols, rows)
}

// Clamp is dst = min(max(dst, low), high).
func (Device) Clamp(n int, dst kernels.Buffer, low, high float64) {
	portable.Clamp(take(dst, n), low, high)
}

// BCE is the weighted binary cross-entropy on logits, summed in float64.
func (Device) BCE(rows int, loss, z, y, w kernels.Buffer) {
	loss.(buffer)[0] = portable.BCELoss(make([]float64, rows), take(z, rows), take(y, rows), take(w, rows))
}

// BCEGrad is its gradient.
func (Device) BCEGrad(rows int, dz, z, y, w, g kernels.Buffer) {
	portable.BCEGrad(take(dz, rows), take(z, rows), take(y, rows), take(w, rows), g.(buffer)[0])
}

// GatherRows copies row index[i] of src to row i of dst.
func (Device) GatherRows(rows, srcRows, cols int, dst, src kernels.Buffer, index kernels.Ints) {
	portable.GatherRows(take(dst, rows*cols), cols, take(src, srcRows*cols), cols, cols, index.(ints)[:rows])
}

// ScatterRows copies row i of src to row index[i] of dst.
func (Device) ScatterRows(rows, cols int, dst, src kernels.Buffer, index kernels.Ints) {
	portable.ScatterRows(dst.(buffer), cols, take(src, rows*cols), cols, cols, index.(ints)[:rows])
}

// PutRows copies row i of src to row index[i] of dst, unless that is below
// zero.
func (Device) PutRows(rows, cols int, dst, src kernels.Buffer, index kernels.Ints) {
	portable.PutRows(dst.(buffer), take(src, rows*cols), cols, index.(ints)[:rows])
}

// ScatterAddRows adds row i of src to row index[i] of dst, in order.
func (Device) ScatterAddRows(rows, dstRows, cols int, dst, src kernels.Buffer, index kernels.Ints) {
	portable.ScatterAddRows(plain{}, take(dst, dstRows*cols), cols, take(src, rows*cols), cols, cols, index.(ints)[:rows])
}

// ScaleRows is dst[i,j] = by[i] x[i,j].
func (Device) ScaleRows(rows, cols int, dst, x, by kernels.Buffer) {
	portable.ScaleRows(plain{}, take(dst, rows*cols), take(x, rows*cols), cols, take(by, rows))
}

// CopyRows copies the first cols numbers of each row.
func (Device) CopyRows(rows, cols int, dst kernels.Buffer, dstStride int, src kernels.Buffer, srcStride int) {
	portable.CopyRows(dst.(buffer), dstStride, src.(buffer), srcStride, rows, cols)
}

// Affine is dst = a x + b.
func (Device) Affine(n int, dst kernels.Buffer, a float64, x kernels.Buffer, b float64) {
	portable.Affine(take(dst, n), a, take(x, n), b)
}
