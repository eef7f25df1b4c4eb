package portable

// LayerNorm normalises each row of x, which is len(scale) wide:
//
//	hat = (x - mean) / sqrt(variance + eps),  dst = hat*scale + shift
//
// with the mean and the variance (mean square deviation) of the row. hat and
// inverse, 1/sqrt(variance + eps) of each row, are kept for the gradient.
func LayerNorm[T Float](k Rows[T], dst, hat, inverse, x, scale, shift []T, eps T) {
	cols := len(scale)
	for i := range inverse {
		row, out := hat[i*cols:][:cols], dst[i*cols:][:cols]
		k.Affine(row, 1, x[i*cols:][:cols], -k.Sum(x[i*cols:][:cols])/T(cols))
		inverse[i] = 1 / sqrt(k.Dot(row, row)/T(cols)+eps)
		k.Affine(row, inverse[i], row, 0)
		k.Mul(out, row, scale)
		k.Add(out, out, shift)
	}
}

// LayerNormGrad sets the gradient of x and adds those of scale and shift:
//
//	t = dy*scale
//	dx = inverse * (t - mean of t - hat*(mean of t*hat))
//	dscale += sum over rows of dy*hat,  dshift += sum over rows of dy
func LayerNormGrad[T Float](k Rows[T], dx, dscale, dshift, dy, hat, inverse, scale []T) {
	cols := len(scale)
	for i, inv := range inverse {
		t, row, d := dx[i*cols:][:cols], hat[i*cols:][:cols], dy[i*cols:][:cols]
		k.AddMul(dscale, d, row)
		k.Add(dshift, dshift, d)
		k.Mul(t, d, scale)
		mean, slope := k.Sum(t)/T(cols), k.Dot(t, row)/T(cols)
		k.Affine(t, inv, t, -mean*inv)
		k.Axpy(t, -slope*inv, row)
	}
}

// BatchNorm normalises each column of x, rows x len(scale), by the mean and
// the variance of the batch:
//
//	hat = (x - mean) / sqrt(variance + eps),  dst = hat*scale + shift
//
// It sets mean and variance (mean square deviation); hat and inverse,
// 1/sqrt(variance + eps), are kept for the gradient. Sums take the rows in
// order.
func BatchNorm[T Float](k Rows[T], dst, hat, mean, variance, inverse, x, scale, shift []T, rows int, eps T) {
	cols := len(scale)
	clear(mean)
	AddColumnSums(k, mean, x, cols, rows)
	k.Affine(mean, 1/T(rows), mean, 0)
	clear(variance)
	for i := range rows {
		row := hat[i*cols:][:cols]
		k.Sub(row, x[i*cols:][:cols], mean)
		k.AddMul(variance, row, row)
	}
	k.Affine(variance, 1/T(rows), variance, 0)
	InverseRoots(inverse, variance, eps)
	for i := range rows {
		row, out := hat[i*cols:][:cols], dst[i*cols:][:cols]
		k.Mul(row, row, inverse)
		k.Mul(out, row, scale)
		k.Add(out, out, shift)
	}
}

// InverseRoots is dst = 1/sqrt(x + eps).
func InverseRoots[T Float](dst, x []T, eps T) {
	for j, v := range x {
		dst[j] = 1 / sqrt(v+eps)
	}
}

// BatchNormFixed is dst = (x - mean)*inverse*scale + shift with a mean and an
// inverse that were found before, as at evaluation.
func BatchNormFixed[T Float](k Rows[T], dst, mean, inverse, x, scale, shift []T, rows int) {
	cols := len(scale)
	for i := range rows {
		out := dst[i*cols:][:cols]
		k.Sub(out, x[i*cols:][:cols], mean)
		k.Mul(out, out, inverse)
		k.Mul(out, out, scale)
		k.Add(out, out, shift)
	}
}

// BatchNormGrad sets the gradients of scale, shift and x:
//
//	dscale = sum over rows of dy*hat,  dshift = sum over rows of dy
//	dx = scale*inverse * (dy - dshift/rows - hat*dscale/rows)
func BatchNormGrad[T Float](k Rows[T], dx, dscale, dshift, dy, hat, inverse, scale []T, rows int) {
	cols := len(scale)
	clear(dscale)
	clear(dshift)
	AddColumnSums(k, dshift, dy, cols, rows)
	for i := range rows {
		k.AddMul(dscale, dy[i*cols:][:cols], hat[i*cols:][:cols])
	}
	n := 1 / T(rows)
	for i := range rows {
		t := dx[i*cols:][:cols]
		k.Mul(t, hat[i*cols:][:cols], dscale)
		k.Add(t, t, dshift)
		k.Affine(t, -n, t, 0)
		k.Add(t, t, dy[i*cols:][:cols])
		k.Mul(t, t, inverse)
		k.Mul(t, t, scale)
	}
}

// UnitRows divides each row of x, which is cols wide, by its length, or by
// eps where that is larger. The factors go to inverse.
func UnitRows[T Float](k Rows[T], dst, inverse, x []T, cols int, eps T) {
	for i := range inverse {
		row := x[i*cols:][:cols]
		inverse[i] = 1 / max(sqrt(k.Dot(row, row)), eps)
		k.Affine(dst[i*cols:][:cols], inverse[i], row, 0)
	}
}

// UnitRowsGrad is its gradient, dx = inverse*(dy - (dy . y)*y).
func UnitRowsGrad[T Float](k Rows[T], dx, dy, y, inverse []T, cols int) {
	for i, inv := range inverse {
		d, out, row := dy[i*cols:][:cols], y[i*cols:][:cols], dx[i*cols:][:cols]
		along := k.Dot(d, out)
		k.Affine(row, inv, d, 0)
		k.Axpy(row, -along*inv, out)
	}
}
