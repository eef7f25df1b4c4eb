//go:build gpu

package cuda

import (
	"math"

	"dgsbench/kernels"
)

// GatherRows copies row index[i] of src to row i of dst.
func (d *Device) GatherRows(rows, srcRows, cols int, dst, src kernels.Buffer, index kernels.Ints) {
	d.eachNumber("gather_rows", rows, cols, at(dst, rows*cols), below(rows, srcRows), at(src, srcRows*cols), list(index, rows), d.fault())
}

// ScatterRows copies row i of src to row index[i] of dst.
func (d *Device) ScatterRows(rows, cols int, dst, src kernels.Buffer, index kernels.Ints) {
	d.eachWarp("scatter_rows", rows, whole(cols), below(rows, rowsOf(dst, cols)), at(dst, 0), at(src, rows*cols), list(index, rows), d.fault())
}

// PutRows copies row i of src to row index[i] of dst, unless that is below
// zero.
func (d *Device) PutRows(rows, cols int, dst, src kernels.Buffer, index kernels.Ints) {
	d.eachNumber("put_rows", rows, cols, below(rows, rowsOf(dst, cols)), at(dst, 0), at(src, rows*cols), list(index, rows), d.fault())
}

// ScatterAddRows adds row i of src to row index[i] of dst, in order.
func (d *Device) ScatterAddRows(rows, dstRows, cols int, dst, src kernels.Buffer, index kernels.Ints) {
	d.eachTile("scatter_add_rows", rows, cols, whole(rows), whole(cols), below(rows, dstRows), at(dst, dstRows*cols), at(src, rows*cols), list(index, rows), d.fault())
}

// CopyRows copies the first cols numbers of each row.
func (d *Device) CopyRows(rows, cols int, dst kernels.Buffer, dstStride int, src kernels.Buffer, srcStride int) {
	if rows > 0 {
		to, from := at(dst, (rows-1)*dstStride+cols), at(src, (rows-1)*srcStride+cols)
		d.eachNumber("copy_rows", rows, cols, to, whole(dstStride), from, whole(srcStride))
	}
}

// ScaleRows is dst[i,j] = by[i] x[i,j].
func (d *Device) ScaleRows(rows, cols int, dst, x, by kernels.Buffer) {
	d.eachNumber("scale_rows", rows, cols, at(dst, rows*cols), at(x, rows*cols), at(by, rows))
}

// MoveRows copies row from[i] of src to row to[i] of dst.
func (d *Device) MoveRows(rows, cols int, dst kernels.Buffer, to kernels.Ints, src kernels.Buffer, from kernels.Ints) {
	d.eachNumber("move_rows", rows, cols, below(rows, rowsOf(dst, cols)), at(dst, 0), list(to, rows),
		below(rows, rowsOf(src, cols)), at(src, 0), list(from, rows), d.fault())
}

// rowsOf is how many rows there are in all of a buffer: any number of empty
// ones.
func rowsOf(b kernels.Buffer, cols int) int {
	if cols == 0 {
		return math.MaxInt32
	}
	return b.Len() / cols
}
