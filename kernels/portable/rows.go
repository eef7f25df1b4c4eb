package portable

// GatherRows copies rows of src: row i of dst is row index[i] of src. Rows
// are cols wide, and dstStride or srcStride elements apart.
func GatherRows[T Float](dst []T, dstStride int, src []T, srcStride, cols int, index []int32) {
	for i, r := range index {
		copy(dst[i*dstStride:][:cols], src[int(r)*srcStride:][:cols])
	}
}

// ScatterRows copies row i of src to row index[i] of dst, in order: where an
// index occurs twice the later row stays.
func ScatterRows[T Float](dst []T, dstStride int, src []T, srcStride, cols int, index []int32) {
	for i, r := range index {
		copy(dst[int(r)*dstStride:][:cols], src[i*srcStride:][:cols])
	}
}

// PutRows copies row i of src to row index[i] of dst, unless that is below
// zero.
func PutRows[T Float](dst, src []T, cols int, index []int32) {
	for i, r := range index {
		if r >= 0 {
			copy(dst[int(r)*cols:][:cols], src[i*cols:][:cols])
		}
	}
}

// ScatterAddRows adds row i of src to row index[i] of dst, in order.
func ScatterAddRows[T Float](k Rows[T], dst []T, dstStride int, src []T, srcStride, cols int, index []int32) {
	for i, r := range index {
		row := dst[int(r)*dstStride:][:cols]
		k.Add(row, row, src[i*srcStride:][:cols])
	}
}

// ContractRows is dst[j] = the sum over i, in order, of w[i,j]*src[index[i],j].
// It works on as many columns at once as scratch has elements.
func ContractRows[T Float](k Rows[T], dst, w, src, scratch []T, index []int32) {
	cols := len(dst)
	clear(dst)
	for lo := 0; lo < cols; lo += len(scratch) {
		part := dst[lo:min(cols, lo+len(scratch))]
		product := scratch[:len(part)]
		for i, r := range index {
			k.Mul(product, w[i*cols+lo:][:len(part)], src[int(r)*cols+lo:][:len(part)])
			k.Add(part, part, product)
		}
	}
}

// CopyRows copies the first cols elements of each row.
func CopyRows[T Float](dst []T, dstStride int, src []T, srcStride, rows, cols int) {
	for i := range rows {
		copy(dst[i*dstStride:][:cols], src[i*srcStride:][:cols])
	}
}

// ScaleRows is dst[i,j] = by[i]*x[i,j] for rows of cols elements.
func ScaleRows[T Float](k Rows[T], dst, x []T, cols int, by []T) {
	for i, f := range by {
		k.Affine(dst[i*cols:][:cols], f, x[i*cols:][:cols], 0)
	}
}

// AddBias is dst[i,j] = x[i,j] + bias[j] over the rows of dst and x, which
// are len(bias) wide.
func AddBias[T Float](k Rows[T], dst, x, bias []T) {
	for n := len(bias); len(x) > 0; dst, x = dst[n:], x[n:] {
		k.Add(dst[:n], x[:n], bias)
	}
}

// AddColumnSums adds the rows of x, which are len(sums) wide and stride
// elements apart, to sums in order: sums[j] += x[0,j] + x[1,j] + ...
func AddColumnSums[T Float](k Rows[T], sums, x []T, stride, rows int) {
	for i := range rows {
		k.Add(sums, sums, x[i*stride:][:len(sums)])
	}
}
