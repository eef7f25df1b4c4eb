package portable

// GatherRows copies row index[i] of src to row i of dst, all cols wide.
func GatherRows[T Float](dst, src []T, cols int, index []int32) {
	for i, r := range index {
		copy(dst[i*cols:][:cols], src[int(r)*cols:][:cols])
	}
}

// ScatterRows copies row i of src to row index[i] of dst, in order: of rows
// with one index the last wins.
func ScatterRows[T Float](dst, src []T, cols int, index []int32) {
	for i, r := range index {
		copy(dst[int(r)*cols:][:cols], src[i*cols:][:cols])
	}
}

// PutRows copies row i of src to row index[i] of dst, unless index[i] is
// negative.
func PutRows[T Float](dst, src []T, cols int, index []int32) {
	for i, r := range index {
		if r >= 0 {
			copy(dst[int(r)*cols:][:cols], src[i*cols:][:cols])
		}
	}
}

// MoveRows copies row from[i] of src to row to[i] of dst.
func MoveRows[T Float](dst []T, to []int32, src []T, from []int32, cols int) {
	for i, r := range to {
		copy(dst[int(r)*cols:][:cols], src[int(from[i])*cols:][:cols])
	}
}

// CopyRows copies the first cols elements of each row.
func CopyRows[T Float](dst []T, dstStride int, src []T, srcStride, rows, cols int) {
	for i := range rows {
		copy(dst[i*dstStride:][:cols], src[i*srcStride:][:cols])
	}
}

// ScatterAddRows adds row i of src to row index[i] of dst, in order.
func (k *Kernels[T]) ScatterAddRows(dst, src []T, cols int, index []int32) {
	for i, r := range index {
		row := dst[int(r)*cols:][:cols]
		k.Add(row, row, src[i*cols:][:cols])
	}
}

// ContractRows is dst[j] = the sum over i, in order, of w[i,j]*src[index[i],j].
// It works on as many columns at once as scratch has elements.
func (k *Kernels[T]) ContractRows(dst, w, src, scratch []T, index []int32) {
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

// AddColumnSums adds the rows of x, which are len(sums) wide, to sums in
// order: sums[j] += x[0,j] + x[1,j] + ...
func (k *Kernels[T]) AddColumnSums(sums, x []T, rows int) {
	for i := range rows {
		k.Add(sums, sums, x[i*len(sums):][:len(sums)])
	}
}

// LayerNorm normalises each row of x, which is len(scale) wide:
//
//	hat = (x - mean) / sqrt(variance + eps),  dst = hat*scale + shift
//
// with the mean and the variance (mean square deviation) of the row. hat and
// inverse, 1/sqrt(variance + eps) of each row, are kept for the gradient.
func (k *Kernels[T]) LayerNorm(dst, hat, inverse, x, scale, shift []T, eps T) {
	cols := len(scale)
	for i := range inverse {
		row, out := hat[i*cols:][:cols], dst[i*cols:][:cols]
		k.Affine(row, x[i*cols:][:cols], 1, -k.Sum(x[i*cols:][:cols])/T(cols))
		inverse[i] = 1 / sqrt(k.Dot(row, row)/T(cols)+eps)
		k.Affine(row, row, inverse[i], 0)
		k.Mul(out, row, scale)
		k.Add(out, out, shift)
	}
}

// LayerNormGrad sets the gradient of x and adds those of scale and shift:
//
//	t = dy*scale
//	dx = inverse * (t - mean of t - hat*(mean of t*hat))
//	dscale += sum over rows of dy*hat,  dshift += sum over rows of dy
func (k *Kernels[T]) LayerNormGrad(dx, dscale, dshift, dy, hat, inverse, scale []T) {
	cols := len(scale)
	for i, inv := range inverse {
		t, row, d := dx[i*cols:][:cols], hat[i*cols:][:cols], dy[i*cols:][:cols]
		k.AddMul(dscale, d, row)
		k.Add(dshift, dshift, d)
		k.Mul(t, d, scale)
		mean, slope := k.Sum(t)/T(cols), k.Dot(t, row)/T(cols)
		k.Affine(t, t, inv, -mean*inv)
		k.Axpy(t, row, -slope*inv)
	}
}

// UnitRows divides each row of x, which is cols wide, by its length, or by
// eps where that is larger. The factors go to inverse.
func (k *Kernels[T]) UnitRows(dst, inverse, x []T, cols int, eps T) {
	for i := range inverse {
		row := x[i*cols:][:cols]
		inverse[i] = 1 / max(sqrt(k.Dot(row, row)), eps)
		k.Affine(dst[i*cols:][:cols], row, inverse[i], 0)
	}
}

// UnitRowsGrad is its gradient, dx = inverse*(dy - (dy . y)*y).
func (k *Kernels[T]) UnitRowsGrad(dx, dy, y, inverse []T, cols int) {
	for i, inv := range inverse {
		d, out, row := dy[i*cols:][:cols], y[i*cols:][:cols], dx[i*cols:][:cols]
		along := k.Dot(d, out)
		k.Affine(row, d, inv, 0)
		k.Axpy(row, out, -along*inv)
	}
}
