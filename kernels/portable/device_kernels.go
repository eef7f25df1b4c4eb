package portable

import "dgsbench/kernels"

// The methods of this file and of device_states.go are those of kernels.Device,
// which says what they do. They cut buffers to size and round scalars to T.

// Product returns the matrix product of Gemm, not computed yet.
func (d *Device[T]) Product(op kernels.Op, m, n, k int, a, b, c, bias kernels.Buffer, relu bool) Gemm[T] {
	return Gemm[T]{
		M: m, N: n, K: k, A: d.Elements(a), B: d.Elements(b), C: d.Elements(c), Bias: d.Elements(bias),
		TransA: op == kernels.TN, TransB: op == kernels.NT, ReLU: relu,
	}.Gapless()
}

func (d *Device[T]) Gemm(op kernels.Op, m, n, k int, a, b, c, bias kernels.Buffer, relu bool) {
	d.Product(op, m, n, k, a, b, c, bias, relu).Run()
}

func (d *Device[T]) Zero(n int, dst kernels.Buffer) { clear(d.in(dst, n)) }

func (d *Device[T]) Add(n int, dst, a, b kernels.Buffer) {
	d.k.Add(d.in(dst, n), d.in(a, n), d.in(b, n))
}

func (d *Device[T]) Mul(n int, dst, a, b kernels.Buffer) {
	d.k.Mul(d.in(dst, n), d.in(a, n), d.in(b, n))
}

func (d *Device[T]) Affine(n int, dst kernels.Buffer, a float64, x kernels.Buffer, b float64) {
	d.k.Affine(d.in(dst, n), d.in(x, n), T(a), T(b))
}

func (d *Device[T]) AddReLU(n int, dst, a, b kernels.Buffer) {
	to := d.in(dst, n)
	d.k.Add(to, d.in(a, n), d.in(b, n))
	d.k.ReLU(to, to)
}

func (d *Device[T]) ReLUGrad(n int, dst, y, g kernels.Buffer) {
	d.k.ReLUGrad(d.in(dst, n), d.in(g, n), d.in(y, n))
}

func (d *Device[T]) Clamp(n int, dst kernels.Buffer, low, high float64) {
	Clamp(d.in(dst, n), T(low), T(high))
}

func (d *Device[T]) ColumnSums(rows, cols int, dst, x kernels.Buffer) {
	d.Zero(cols, dst)
	d.k.AddColumnSums(d.in(dst, cols), d.in(x, rows*cols), rows)
}

// BCE sums in float64, in order within pieces as long as the scratch.
func (d *Device[T]) BCE(rows int, loss, z, y, w kernels.Buffer) {
	logits, targets, weights := d.in(z, rows), d.in(y, rows), d.in(w, rows)
	sum := 0.0
	for lo := 0; lo < rows; lo += len(d.scratch) {
		hi := min(rows, lo+len(d.scratch))
		each := d.scratch[:hi-lo]
		d.k.BCELoss(each, logits[lo:hi], targets[lo:hi], weights[lo:hi])
		sum += SumInOrder(each)
	}
	d.in(loss, 1)[0] = T(sum)
}

func (d *Device[T]) BCEGrad(rows int, dz, z, y, w, g kernels.Buffer) {
	d.k.BCEGrad(d.in(dz, rows), d.in(z, rows), d.in(y, rows), d.in(w, rows), d.in(g, 1)[0])
}

func (d *Device[T]) GatherRows(rows, srcRows, cols int, dst, src kernels.Buffer, index kernels.Ints) {
	GatherRows(d.in(dst, rows*cols), d.in(src, srcRows*cols), cols, listed(index, rows))
}

func (d *Device[T]) ScatterRows(rows, cols int, dst, src kernels.Buffer, index kernels.Ints) {
	ScatterRows(d.Elements(dst), d.in(src, rows*cols), cols, listed(index, rows))
}

func (d *Device[T]) PutRows(rows, cols int, dst, src kernels.Buffer, index kernels.Ints) {
	PutRows(d.Elements(dst), d.in(src, rows*cols), cols, listed(index, rows))
}

func (d *Device[T]) ScatterAddRows(rows, dstRows, cols int, dst, src kernels.Buffer, index kernels.Ints) {
	d.k.ScatterAddRows(d.in(dst, dstRows*cols), d.in(src, rows*cols), cols, listed(index, rows))
}

func (d *Device[T]) CopyRows(rows, cols int, dst kernels.Buffer, dstStride int, src kernels.Buffer, srcStride int) {
	CopyRows(d.Elements(dst), dstStride, d.Elements(src), srcStride, rows, cols)
}

func (d *Device[T]) GRUCell(rows, units int, h, gates, gi, gh, q kernels.Buffer) {
	n := rows * units
	d.k.GRUCell(d.in(h, n), d.in(gates, 3*n), d.in(gi, 3*n), d.in(gh, 3*n), d.in(q, n), units)
}

func (d *Device[T]) GRUCellGrad(rows, units int, dgi, dgh, dq, dh, gates, gh, q kernels.Buffer) {
	n := rows * units
	d.k.GRUCellGrad(d.in(dgi, 3*n), d.in(dgh, 3*n), d.in(dq, n), d.in(dh, n), d.in(gates, 3*n), d.in(gh, 3*n), d.in(q, n), units)
}

func (d *Device[T]) TimeEncode(rows, cols int, dst, dt, w, b kernels.Buffer) {
	d.k.TimeEncode(d.in(dst, rows*cols), d.in(dt, rows), d.in(w, cols), d.in(b, cols))
}

func (d *Device[T]) TimeEncodeGrad(rows, cols int, dw, db, g, dt, w, b kernels.Buffer) {
	d.Zero(cols, dw)
	d.Zero(cols, db)
	d.k.TimeEncodeGrad(d.in(dw, cols), d.in(db, cols), d.in(g, rows*cols), d.in(dt, rows), d.in(w, cols), d.in(b, cols))
}

func (d *Device[T]) TimeProject(rows, cols int, dst, m, dt, w, b kernels.Buffer) {
	n := rows * cols
	d.k.TimeProject(d.in(dst, n), d.in(m, n), d.in(dt, rows), d.in(w, cols), d.in(b, cols))
}

func (d *Device[T]) TimeProjectGrad(rows, cols int, dm, dw, db, g, m, dt, w, b kernels.Buffer) {
	n := rows * cols
	d.Zero(cols, dw)
	d.Zero(cols, db)
	d.k.TimeProjectGrad(d.in(dm, n), d.in(dw, cols), d.in(db, cols), d.in(g, n), d.in(m, n), d.in(dt, rows), d.in(w, cols), d.in(b, cols))
}

func (d *Device[T]) Attend(a *kernels.Attention) {
	d.setAttention(a)
	d.k.Attend(&d.attention)
}

func (d *Device[T]) AttendGrad(a *kernels.Attention, g *kernels.AttentionGrad) {
	d.setAttention(a)
	width := a.Heads * a.Channels
	d.attentionGrad = AttentionGrad[T]{
		Out: d.in(g.Out, a.Centres*width), Q: d.in(g.Q, a.Centres*width), E: d.in(g.E, a.Edges*width),
		K: d.in(g.K, a.Nodes*width), V: d.in(g.V, a.Nodes*width), Scores: d.in(g.Scores, a.Edges*a.Heads),
	}
	clear(d.attentionGrad.K)
	clear(d.attentionGrad.V)
	d.k.AttendGrad(&d.attention, &d.attentionGrad)
}

func (d *Device[T]) setAttention(a *kernels.Attention) {
	width := a.Heads * a.Channels
	d.attention = Attention[T]{
		Heads: a.Heads, Channels: a.Channels, Offsets: listed(a.Offsets, a.Centres+1), Index: listed(a.Index, a.Edges),
		Q: d.in(a.Q, a.Centres*width), Out: d.in(a.Out, a.Centres*width),
		K: d.in(a.K, a.Nodes*width), V: d.in(a.V, a.Nodes*width), E: d.in(a.E, a.Edges*width),
		Weights: d.in(a.Weights, a.Edges*a.Heads), Drop: d.optional(a.Drop, a.Edges*a.Heads),
	}
}

func (d *Device[T]) SoftmaxBlocks(n, h int, scale float64, dst, x kernels.Buffer) {
	d.k.SoftmaxBlocks(d.blocks(dst, n, h), d.in(x, n), h, T(scale))
}

func (d *Device[T]) SoftmaxBlocksGrad(n, h int, scale float64, dx, g, y kernels.Buffer) {
	d.k.SoftmaxBlocksGrad(d.blocks(dx, n, h), d.in(g, n), d.in(y, n), h, T(scale))
}

func (d *Device[T]) DivideSumBlocks(n, h int, eps, floor float64, dst, z kernels.Buffer) {
	d.k.DivideSumBlocks(d.blocks(dst, n, h), d.in(z, n), h, T(eps), T(floor))
}

func (d *Device[T]) DivideSumBlocksGrad(n, h int, eps, floor float64, dz, g, y, z kernels.Buffer) {
	d.k.DivideSumBlocksGrad(d.blocks(dz, n, h), d.in(g, n), d.in(y, n), d.in(z, n), h, T(eps), T(floor))
}

func (d *Device[T]) LayerNorm(rows, cols int, eps float64, dst, hat, inverse, x, scale, shift kernels.Buffer) {
	n := rows * cols
	d.k.LayerNorm(d.in(dst, n), d.in(hat, n), d.in(inverse, rows), d.in(x, n), d.in(scale, cols), d.in(shift, cols), T(eps))
}

func (d *Device[T]) LayerNormGrad(rows, cols int, dx, dscale, dshift, g, hat, inverse, scale kernels.Buffer) {
	n := rows * cols
	d.Zero(cols, dscale)
	d.Zero(cols, dshift)
	d.k.LayerNormGrad(d.in(dx, n), d.in(dscale, cols), d.in(dshift, cols), d.in(g, n), d.in(hat, n), d.in(inverse, rows), d.in(scale, cols))
}

func (d *Device[T]) UnitRows(rows, cols int, eps float64, dst, inverse, x kernels.Buffer) {
	d.k.UnitRows(d.in(dst, rows*cols), d.in(inverse, rows), d.in(x, rows*cols), cols, T(eps))
}

func (d *Device[T]) UnitRowsGrad(rows, cols int, dx, g, y, inverse kernels.Buffer) {
	d.k.UnitRowsGrad(d.in(dx, rows*cols), d.in(g, rows*cols), d.in(y, rows*cols), d.in(inverse, rows), cols)
}
