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
	softmax
	division
	sparsemax
	entmax
	layerNorm
	unitRows
	mixtures
	gru
	encoding
	projection
)

// elements adds a call on n single numbers: those of all rows, or of a vector.
func (c *chain) elements(call chainCall, n int, dst kernels.Buffer, reads ...operand) {
	call.results = 1
	if w, ok := dst.(window); ok && w.vector {
		call.rows, call.cols = noRows, n
	} else {
		call.cols = n / c.rows
	}
	c.add(call, append([]operand{c.out(dst, n)}, reads...)...)
}

func (c *chain) Add(n int, dst, a, b kernels.Buffer) {
	c.elements(chainCall{code: sums}, n, dst, c.read(a, n), c.read(b, n))
}

func (c *chain) AddReLU(n int, dst, a, b kernels.Buffer) {
	c.elements(chainCall{code: relus}, n, dst, c.read(a, n), c.maybe(b, n))
}

func (c *chain) Affine(n int, dst kernels.Buffer, a float64, x kernels.Buffer, b float64) {
	c.elements(chainCall{code: affines, x: a, y: b}, n, dst, c.read(x, n))
}

func (c *chain) Sigmoid(n int, dst, x kernels.Buffer) {
	c.elements(chainCall{code: sigmoids}, n, dst, c.read(x, n))
}

func (c *chain) Gemm(op kernels.Op, m, n, k int, a, b, to, bias kernels.Buffer, relu bool) {
	if op != kernels.NN {
		panic("cuda: a chain does not transpose")
	}
	if m == 0 || n == 0 {
		return
	}
	x, weights := c.read(a, m*k), c.read(b, k*n)
	code, columns := widest(weights, n, k%fours == 0 && c.inFours(x))
	call := chainCall{code: code, rows: m, cols: n, inner: k, results: 2, choice: int(flag(relu))}
	call.lanes = min(n/columns, chainThreads)
	call.slices = max(1, min(chainThreads/call.lanes, k/sliceDepth))
	var none operand // for another product
	c.add(call, c.out(to, m*n), none, x, none, weights, c.maybe(bias, n))
}

const (
	fours = 4
	// sliceDepth is how many terms of a sum are worth a thread, at least.
	sliceDepth = 8
)

// inFours reports whether the rows of a matrix whose length is a multiple of four
// can be read four numbers at a time.
func (c *chain) inFours(o operand) bool {
	if o.own == nil {
		return o.at%lineBytes == 0
	}
	return !o.own.vector && o.offset/c.maxRows%fours == 0
}

// widest is the product whose threads read the most columns of the weights at
// once, and how many; inFours is that of the left side.
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

func (c *chain) GatherRows(rows, srcRows, cols int, dst, src kernels.Buffer, index kernels.Ints) {
	if rows == 0 {
		return
	}
	below(rows, srcRows)
	c.add(chainCall{code: gatherRows, rows: rows, cols: cols, inner: srcRows, results: 1},
		c.out(dst, rows*cols), c.read(src, srcRows*cols), c.list(index, rows))
}

func (c *chain) PutRows(rows, cols int, dst, src kernels.Buffer, index kernels.Ints) {
	all := rowsOf(dst, cols)
	c.rowwise(chainCall{code: putRows, cols: cols, inner: all, results: 1}, rows,
		c.out(dst, all*cols), c.read(src, rows*cols), c.list(index, rows))
}

func (c *chain) CopyRows(rows, cols int, dst kernels.Buffer, dstStride int, src kernels.Buffer, srcStride int) {
	if rows == 0 {
		return
	}
	to, from := c.out(dst, (rows-1)*dstStride+cols), c.read(src, (rows-1)*srcStride+cols)
	to.columns, from.columns = dstStride != cols, srcStride != cols
	to.width = cols
	c.add(chainCall{code: copyRows, rows: rows, cols: cols, inner: dstStride, choice: srcStride, results: 1}, to, from)
}

// blocks adds a call on blocks of h numbers.
func (c *chain) blocks(code int32, n, h int, x, y float64, dst, from kernels.Buffer) {
	c.elements(chainCall{code: code, inner: h, x: x, y: y}, n, dst, c.read(from, n))
}

func (c *chain) SoftmaxBlocks(n, h int, scale float64, dst, x kernels.Buffer) {
	c.blocks(softmax, n, h, scale, 0, dst, x)
}

func (c *chain) DivideSumBlocks(n, h int, eps, floor float64, dst, z kernels.Buffer) {
	c.blocks(division, n, h, eps, floor, dst, z)
}

func (c *chain) SparsemaxBlocks(n, h int, scale float64, dst, x kernels.Buffer) {
	c.blocks(sparsemax, n, h, scale, 0, dst, x)
}

func (c *chain) EntmaxBlocks(n, h int, scale float64, dst, x kernels.Buffer) {
	c.blocks(entmax, n, h, scale, 0, dst, x)
}

// rowwise adds a call on matrices of call.cols columns.
func (c *chain) rowwise(call chainCall, rows int, operands ...operand) {
	if call.rows = rows; rows > 0 {
		c.add(call, operands...)
	}
}

func (c *chain) LayerNorm(rows, cols int, eps float64, dst, hat, inverse, x, scale, shift kernels.Buffer) {
	n := rows * cols
	c.rowwise(chainCall{code: layerNorm, cols: cols, x: eps, results: 3}, rows,
		c.out(dst, n), c.out(hat, n), c.out(inverse, rows), c.read(x, n), c.read(scale, cols), c.read(shift, cols))
}

func (c *chain) UnitRows(rows, cols int, eps float64, dst, inverse, x kernels.Buffer) {
	c.rowwise(chainCall{code: unitRows, cols: cols, x: eps, results: 2}, rows,
		c.out(dst, rows*cols), c.out(inverse, rows), c.read(x, rows*cols))
}

func (c *chain) Mix(m *kernels.Mixture, dst kernels.Buffer) {
	n, factors := m.Rows*m.Cols, m.Cols
	if m.PerRow {
		factors = n
	}
	c.rowwise(chainCall{code: mixtures, cols: m.Cols, choice: int(flag(m.PerRow)), results: 1}, m.Rows,
		c.out(dst, n), c.read(m.Self, n), c.read(m.Other, n), c.maybe(m.E, n), c.read(m.Alpha, factors), c.read(m.Beta, factors))
}

func (c *chain) GRUCell(rows, units int, h, gates, gi, gh, q kernels.Buffer) {
	n := rows * units
	c.rowwise(chainCall{code: gru, cols: units, results: 2}, rows,
		c.out(h, n), c.out(gates, 3*n), c.read(gi, 3*n), c.read(gh, 3*n), c.read(q, n))
}

func (c *chain) TimeEncode(rows, cols int, dst, dt, w, b kernels.Buffer) {
	c.rowwise(chainCall{code: encoding, cols: cols, results: 1}, rows,
		c.out(dst, rows*cols), c.read(dt, rows), c.read(w, cols), c.read(b, cols))
}

func (c *chain) TimeProject(rows, cols int, dst, m, dt, w, b kernels.Buffer) {
	c.rowwise(chainCall{code: projection, cols: cols, results: 1}, rows,
		c.out(dst, rows*cols), c.read(m, rows*cols), c.read(dt, rows), c.read(w, cols), c.read(b, cols))
}
