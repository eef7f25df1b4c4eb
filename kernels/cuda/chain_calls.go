//go:build gpu

package cuda

import "dgsbench/kernels"

// What a call does: Code of chain.cu.
const (
	copyRows int32 = iota
	gatherRows
	putRows
	product
	productOfTwos
	productOfFours
	productInFours
	sums
	relus
	affines
	sigmoids
	scales
	softmax
	division
	sparsemax
	entmax
	layerNorm
	batchNorm
	unitRows
	mixtures
	gru
	encoding
	projection
)

// elements notes a call on n single numbers: those of all rows, or of a
// vector.
func (c *chain) elements(call chainCall, n int, dst kernels.Buffer, reads ...operand) {
	call.results = 1
	if w, ok := dst.(window); ok && w.vector {
		call.rows, call.cols = noRows, n
	} else {
		call.cols = n / c.rows
	}
	c.note(call, append([]operand{c.out(dst, n)}, reads...)...)
}

// Add is dst = a + b.
func (c *chain) Add(n int, dst, a, b kernels.Buffer) {
	c.elements(chainCall{code: sums}, n, dst, c.in(a, n), c.in(b, n))
}

// AddReLU is dst = relu(a + b).
func (c *chain) AddReLU(n int, dst, a, b kernels.Buffer) {
	c.elements(chainCall{code: relus}, n, dst, c.in(a, n), c.maybe(b, n))
}

// Affine is dst = a x + b.
func (c *chain) Affine(n int, dst kernels.Buffer, a float64, x kernels.Buffer, b float64) {
	c.elements(chainCall{code: affines, x: a, y: b}, n, dst, c.in(x, n))
}

// Sigmoid is dst = 1/(1 + e^-x).
func (c *chain) Sigmoid(n int, dst, x kernels.Buffer) {
	c.elements(chainCall{code: sigmoids}, n, dst, c.in(x, n))
}

// Gemm is c = a b, with bias and relu where asked for.
func (c *chain) Gemm(op kernels.Op, m, n, k int, a, b, to, bias kernels.Buffer, relu bool) {
	if op != kernels.NN {
		panic("cuda: a chain does not transpose")
	}
	if m == 0 || n == 0 {
		return
	}
	x, weights := c.in(a, m*k), c.in(b, k*n)
	code, columns := widest(weights, n, k%fours == 0 && c.inFours(x))
	call := chainCall{code: code, rows: m, cols: n, inner: k, results: 2, choice: int(flag(relu))}
	call.lanes = min(n/columns, chainThreads)
	call.slices = max(1, min(chainThreads/call.lanes, k/sliceDepth))
	var none operand // for another product
	c.note(call, c.out(to, m*n), none, x, none, weights, c.maybe(bias, n))
}

const (
	fours = 4
	// sliceDepth is how many terms of a sum are worth a thread, at least.
	sliceDepth = 8
)

// inFours reports whether the numbers of a matrix can be read four at a time,
// if these are its columns.
func (c *chain) inFours(o operand) bool {
	if o.own == nil {
		return o.at%lineBytes == 0
	}
	return !o.own.vector && o.offset/c.most%fours == 0
}

// widest is the product whose threads read the most columns of the weights at
// once, and how many; in fours says that what is multiplied can be read so.
func widest(weights operand, cols int, inFours bool) (code int32, columns int) {
	fits := func(columns int) bool {
		return cols%columns == 0 && weights.own == nil && weights.at%uint64(columns*wordBytes) == 0
	}
	switch {
	case fits(fours) && inFours:
		return productInFours, fours
	case fits(fours):
		return productOfFours, fours
	case fits(fours/2) && inFours:
		return productOfTwos, fours / 2
	}
	return product, 1
}

// GatherRows copies row index[i] of src to row i of dst.
func (c *chain) GatherRows(rows, srcRows, cols int, dst, src kernels.Buffer, index kernels.Ints) {
	if rows == 0 {
		return
	}
	below(rows, srcRows)
	c.note(chainCall{code: gatherRows, rows: rows, cols: cols, inner: srcRows, results: 1},
		c.out(dst, rows*cols), c.in(src, srcRows*cols), c.list(index, rows))
}

// PutRows copies row i of src to row index[i] of dst, unless that is below
// zero.
func (c *chain) PutRows(rows, cols int, dst, src kernels.Buffer, index kernels.Ints) {
	all := rowsOf(dst, cols)
	c.rowwise(chainCall{code: putRows, cols: cols, inner: all, results: 1}, rows,
		c.out(dst, all*cols), c.in(src, rows*cols), c.list(index, rows))
}

// CopyRows copies the first cols numbers of each row.
func (c *chain) CopyRows(rows, cols int, dst kernels.Buffer, dstStride int, src kernels.Buffer, srcStride int) {
	if rows == 0 {
		return
	}
	to, from := c.out(dst, (rows-1)*dstStride+cols), c.in(src, (rows-1)*srcStride+cols)
	to.columns, from.columns = dstStride != cols, srcStride != cols
	to.width = cols
	c.note(chainCall{code: copyRows, rows: rows, cols: cols, inner: dstStride, choice: srcStride, results: 1}, to, from)
}

// ScaleRows is dst[i,j] = by[i] x[i,j].
func (c *chain) ScaleRows(rows, cols int, dst, x, by kernels.Buffer) {
	c.elements(chainCall{code: scales}, rows*cols, dst, c.in(x, rows*cols), c.in(by, rows))
}

// blocks notes a call on blocks of h numbers.
func (c *chain) blocks(code int32, n, h int, x, y float64, dst, from kernels.Buffer) {
	c.elements(chainCall{code: code, inner: h, x: x, y: y}, n, dst, c.in(from, n))
}

// SoftmaxBlocks is the softmax of scale x in each block.
func (c *chain) SoftmaxBlocks(n, h int, scale float64, dst, x kernels.Buffer) {
	c.blocks(softmax, n, h, scale, 0, dst, x)
}

// DivideSumBlocks divides each block by its sum + eps.
func (c *chain) DivideSumBlocks(n, h int, eps, floor float64, dst, z kernels.Buffer) {
	c.blocks(division, n, h, eps, floor, dst, z)
}

// SparsemaxBlocks is the sparsemax of scale x in each block.
func (c *chain) SparsemaxBlocks(n, h int, scale float64, dst, x kernels.Buffer) {
	c.blocks(sparsemax, n, h, scale, 0, dst, x)
}

// EntmaxBlocks is 1.5-entmax of scale x in each block.
func (c *chain) EntmaxBlocks(n, h int, scale float64, dst, x kernels.Buffer) {
	c.blocks(entmax, n, h, scale, 0, dst, x)
}

// rowwise notes a call on matrices of so many columns.
func (c *chain) rowwise(call chainCall, rows int, operands ...operand) {
	if call.rows = rows; rows > 0 {
		c.note(call, operands...)
	}
}

// LayerNorm normalises the rows of x.
func (c *chain) LayerNorm(rows, cols int, eps float64, dst, hat, inverse, x, scale, shift kernels.Buffer) {
	n := rows * cols
	c.rowwise(chainCall{code: layerNorm, cols: cols, x: eps, results: 3}, rows,
		c.out(dst, n), c.out(hat, n), c.out(inverse, rows), c.in(x, n), c.in(scale, cols), c.in(shift, cols))
}

// BatchNormFixed normalises the columns of x by given mean and variance.
// Nobody reads inverse.
func (c *chain) BatchNormFixed(rows, cols int, eps float64, dst, _, x, mean, variance, scale, shift kernels.Buffer) {
	n := rows * cols
	c.rowwise(chainCall{code: batchNorm, cols: cols, x: eps, results: 1}, rows,
		c.out(dst, n), c.in(x, n), c.in(mean, cols), c.in(variance, cols), c.in(scale, cols), c.in(shift, cols))
}

// UnitRows divides rows by their lengths.
func (c *chain) UnitRows(rows, cols int, eps float64, dst, inverse, x kernels.Buffer) {
	c.rowwise(chainCall{code: unitRows, cols: cols, x: eps, results: 2}, rows,
		c.out(dst, rows*cols), c.out(inverse, rows), c.in(x, rows*cols))
}

// Mix is dst = beta self + (1 - beta) ((1 - alpha) e + alpha other).
func (c *chain) Mix(m *kernels.Mixture, dst kernels.Buffer) {
	n, factors := m.Rows*m.Cols, m.Cols
	if m.PerRow {
		factors = n
	}
	c.rowwise(chainCall{code: mixtures, cols: m.Cols, choice: int(flag(m.PerRow)), results: 1}, m.Rows,
		c.out(dst, n), c.in(m.Self, n), c.in(m.Other, n), c.maybe(m.E, n), c.in(m.Alpha, factors), c.in(m.Beta, factors))
}

// GRUCell is PyTorch's GRU cell after its two products.
func (c *chain) GRUCell(rows, units int, h, gates, gi, gh, q kernels.Buffer) {
	n := rows * units
	c.rowwise(chainCall{code: gru, cols: units, results: 2}, rows,
		c.out(h, n), c.out(gates, 3*n), c.in(gi, 3*n), c.in(gh, 3*n), c.in(q, n))
}

// TimeEncode is dst = cos(w[j] dt[i] + b[j]).
func (c *chain) TimeEncode(rows, cols int, dst, dt, w, b kernels.Buffer) {
	c.rowwise(chainCall{code: encoding, cols: cols, results: 1}, rows,
		c.out(dst, rows*cols), c.in(dt, rows), c.in(w, cols), c.in(b, cols))
}

// TimeProject is dst = m[i,j] (1 + w[j] dt[i] + b[j]).
func (c *chain) TimeProject(rows, cols int, dst, m, dt, w, b kernels.Buffer) {
	c.rowwise(chainCall{code: projection, cols: cols, results: 1}, rows,
		c.out(dst, rows*cols), c.in(m, rows*cols), c.in(dt, rows), c.in(w, cols), c.in(b, cols))
}
