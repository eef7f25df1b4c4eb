package cpu

import "dgsbench/kernels/portable"

// GatherRows copies rows of src: row i of dst is row index[i] of src. Rows
// are cols wide, and dstStride or srcStride elements apart. An index outside
// src panics.
func (k Kernels) GatherRows(dst []float32, dstStride int, src []float32, srcStride, cols int, index []int32) {
	rowsFit("GatherRows", len(dst), len(index), dstStride, cols)
	portable.GatherRows(dst, dstStride, src, srcStride, cols, index)
}

// ScatterRows copies row i of src to row index[i] of dst, in order: where an
// index occurs twice the later row stays. An index outside dst panics.
func (k Kernels) ScatterRows(dst []float32, dstStride int, src []float32, srcStride, cols int, index []int32) {
	rowsFit("ScatterRows", len(src), len(index), srcStride, cols)
	portable.ScatterRows(dst, dstStride, src, srcStride, cols, index)
}

// ScatterAddRows adds row i of src to row index[i] of dst, in order. An
// index outside dst panics.
func (k Kernels) ScatterAddRows(dst []float32, dstStride int, src []float32, srcStride, cols int, index []int32) {
	rowsFit("ScatterAddRows", len(src), len(index), srcStride, cols)
	portable.ScatterAddRows(k, dst, dstStride, src, srcStride, cols, index)
}

// CopyRows copies the first cols elements of each row.
func (k Kernels) CopyRows(dst []float32, dstStride int, src []float32, srcStride, rows, cols int) {
	rowsFit("CopyRows", len(dst), rows, dstStride, cols)
	rowsFit("CopyRows", len(src), rows, srcStride, cols)
	portable.CopyRows(dst, dstStride, src, srcStride, rows, cols)
}

// ScaleRows is dst[i,j] = by[i]*x[i,j] for rows of cols elements. dst may be
// x.
func (k Kernels) ScaleRows(dst, x []float32, cols int, by []float32) {
	same("ScaleRows", len(by)*cols, len(dst), len(x))
	portable.ScaleRows(k, dst, x, cols, by)
}

// AddBias is dst[i,j] = x[i,j] + bias[j] over the rows of dst and x, which
// are len(bias) wide. dst may be x.
func (k Kernels) AddBias(dst, x, bias []float32) {
	same("AddBias", len(dst), len(x))
	portable.AddBias(k, dst, x, bias)
}

// AddColumnSums adds the rows of x, which are len(sums) wide and stride
// elements apart, to sums in order: sums[j] += x[0,j] + x[1,j] + ...
func (k Kernels) AddColumnSums(sums, x []float32, stride, rows int) {
	rowsFit("AddColumnSums", len(x), rows, stride, len(sums))
	portable.AddColumnSums(k, sums, x, stride, rows)
}
