package cpu

import (
	"dgsbench/kernels"
	"dgsbench/kernels/portable"
)

// Zero is dst = 0.
func (d *Device) Zero(n int, dst kernels.Buffer) { clear(take(dst, n)) }

// Add is dst = a + b.
func (d *Device) Add(n int, dst, a, b kernels.Buffer) {
	d.kernels.Add(take(dst, n), take(a, n), take(b, n))
}

// Mul is dst = a b, elementwise.
func (d *Device) Mul(n int, dst, a, b kernels.Buffer) {
	d.kernels.Mul(take(dst, n), take(a, n), take(b, n))
}

// Blend is dst = keep dst + add x.
func (d *Device) Blend(n int, dst kernels.Buffer, keep float64, x kernels.Buffer, add float64) {
	to := take(dst, n)
	d.kernels.Affine(to, float32(keep), to, 0)
	d.kernels.Axpy(to, float32(add), take(x, n))
}

// AddReLU is dst = relu(a + b).
func (d *Device) AddReLU(n int, dst, a, b kernels.Buffer) {
	to := take(dst, n)
	d.kernels.Add(to, take(a, n), take(b, n))
	d.kernels.ReLU(to, to)
}

// ReLUGrad is dst = g where y > 0, else 0.
func (d *Device) ReLUGrad(n int, dst, y, g kernels.Buffer) {
	d.kernels.ReLUGrad(take(dst, n), take(g, n), take(y, n))
}

// ColumnSums is the sum over the rows of x, in order.
func (d *Device) ColumnSums(rows, cols int, dst, x kernels.Buffer) {
	sums := take(dst, cols)
	clear(sums)
	d.kernels.AddColumnSums(sums, take(x, rows*cols), cols, rows)
}

// Clamp is dst = min(max(dst, low), high).
func (d *Device) Clamp(n int, dst kernels.Buffer, low, high float64) {
	portable.Clamp(take(dst, n), float32(low), float32(high))
}

// BCE is the weighted binary cross-entropy on logits, summed in float64.
func (d *Device) BCE(rows int, loss, z, y, w kernels.Buffer) {
	at, target, weight, each := take(z, rows), take(y, rows), take(w, rows), d.scratch[0]
	sum := 0.0
	for lo := 0; lo < rows; lo += len(each) {
		hi := min(rows, lo+len(each))
		sum += d.kernels.BCELoss(each[:hi-lo], at[lo:hi], target[lo:hi], weight[lo:hi])
	}
	loss.(buffer)[0] = float32(sum)
}

// BCEGrad is its gradient.
func (d *Device) BCEGrad(rows int, dz, z, y, w, g kernels.Buffer) {
	d.kernels.BCEGrad(take(dz, rows), take(z, rows), take(y, rows), take(w, rows), g.(buffer)[0])
}

// GatherRows copies row index[i] of src to row i of dst.
func (d *Device) GatherRows(rows, srcRows, cols int, dst, src kernels.Buffer, index kernels.Ints) {
	d.kernels.GatherRows(take(dst, rows*cols), cols, take(src, srcRows*cols), cols, cols, index.(ints)[:rows])
}

// ScatterRows copies row i of src to row index[i] of dst.
func (d *Device) ScatterRows(rows, cols int, dst, src kernels.Buffer, index kernels.Ints) {
	d.kernels.ScatterRows(dst.(buffer), cols, take(src, rows*cols), cols, cols, index.(ints)[:rows])
}

// PutRows copies row i of src to row index[i] of dst, unless that is below
// zero.
func (d *Device) PutRows(rows, cols int, dst, src kernels.Buffer, index kernels.Ints) {
	portable.PutRows(dst.(buffer), take(src, rows*cols), cols, index.(ints)[:rows])
}

// ScatterAddRows adds row i of src to row index[i] of dst, in order.
func (d *Device) ScatterAddRows(rows, dstRows, cols int, dst, src kernels.Buffer, index kernels.Ints) {
	d.kernels.ScatterAddRows(take(dst, dstRows*cols), cols, take(src, rows*cols), cols, cols, index.(ints)[:rows])
}

// ScaleRows is dst[i,j] = by[i] x[i,j].
func (d *Device) ScaleRows(rows, cols int, dst, x, by kernels.Buffer) {
	d.kernels.ScaleRows(take(dst, rows*cols), take(x, rows*cols), cols, take(by, rows))
}

// CopyRows copies the first cols numbers of each row.
func (d *Device) CopyRows(rows, cols int, dst kernels.Buffer, dstStride int, src kernels.Buffer, srcStride int) {
	d.kernels.CopyRows(dst.(buffer), dstStride, src.(buffer), srcStride, rows, cols)
}

// Affine is dst = a x + b.
func (d *Device) Affine(n int, dst kernels.Buffer, a float64, x kernels.Buffer, b float64) {
	d.kernels.Affine(take(dst, n), float32(a), take(x, n), float32(b))
}
