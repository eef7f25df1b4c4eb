//go:build gpu

package cuda

import "dgsbench/kernels"

// eachBlock is eachRow of n numbers in blocks of h.
func (d *Device) eachBlock(name string, n, h int, parameters ...uint64) {
	if n > 0 {
		d.eachRow(name, n/h, h, parameters...)
	}
}

func (d *Device) SoftmaxBlocks(n, h int, scale float64, dst, x kernels.Buffer) {
	d.eachBlock("softmax_blocks", n, h, single(scale), at(dst, n), at(x, n))
}

func (d *Device) SoftmaxBlocksGrad(n, h int, scale float64, dx, g, y kernels.Buffer) {
	d.eachBlock("softmax_blocks_grad", n, h, single(scale), at(dx, n), at(g, n), at(y, n))
}

func (d *Device) DivideSumBlocks(n, h int, eps, floor float64, dst, z kernels.Buffer) {
	d.eachBlock("divide_sum_blocks", n, h, single(eps), single(floor), at(dst, n), at(z, n))
}

func (d *Device) DivideSumBlocksGrad(n, h int, eps, floor float64, dz, g, y, z kernels.Buffer) {
	d.eachBlock("divide_sum_blocks_grad", n, h, single(eps), single(floor), at(dz, n), at(g, n), at(y, n), at(z, n))
}

func (d *Device) SparsemaxBlocks(n, h int, scale float64, dst, x kernels.Buffer) {
	d.eachWarp("sparsemax_blocks", n/h, intParam(h), single(scale), at(dst, n), at(x, n))
}

func (d *Device) SparsemaxBlocksGrad(n, h int, scale float64, dx, g, y kernels.Buffer) {
	d.eachWarp("sparsemax_blocks_grad", n/h, intParam(h), single(scale), at(dx, n), at(g, n), at(y, n))
}

func (d *Device) EntmaxBlocks(n, h int, scale float64, dst, x kernels.Buffer) {
	d.eachWarp("entmax_blocks", n/h, intParam(h), single(scale), at(dst, n), at(x, n))
}

func (d *Device) EntmaxBlocksGrad(n, h int, scale float64, dx, g, y kernels.Buffer) {
	d.eachWarp("entmax_blocks_grad", n/h, intParam(h), single(scale), at(dx, n), at(g, n), at(y, n))
}

func (d *Device) LayerNorm(rows, cols int, eps float64, dst, hat, inverse, x, scale, shift kernels.Buffer) {
	n := rows * cols
	d.eachRow("layer_norm", rows, cols, single(eps), at(dst, n), at(hat, n), at(inverse, rows), at(x, n), at(scale, cols), at(shift, cols))
}

func (d *Device) LayerNormGrad(rows, cols int, dx, dscale, dshift, g, hat, inverse, scale kernels.Buffer) {
	n := rows * cols
	d.sumColumns("scale_grad", rows, cols, at(dscale, cols), at(dshift, cols), at(g, n), at(hat, n))
	d.eachRow("layer_norm_grad", rows, cols, at(dx, n), at(g, n), at(hat, n), at(inverse, rows), at(scale, cols))
}

func (d *Device) UnitRows(rows, cols int, eps float64, dst, inverse, x kernels.Buffer) {
	d.eachRow("unit_rows", rows, cols, single(eps), at(dst, rows*cols), at(inverse, rows), at(x, rows*cols))
}

func (d *Device) UnitRowsGrad(rows, cols int, dx, g, y, inverse kernels.Buffer) {
	n := rows * cols
	d.eachRow("unit_rows_grad", rows, cols, at(dx, n), at(g, n), at(y, n), at(inverse, rows))
}

func (d *Device) GRUCell(rows, units int, h, gates, gi, gh, q kernels.Buffer) {
	n := rows * units
	d.eachNumber("gru_cell", rows, units, at(h, n), at(gates, 3*n), at(gi, 3*n), at(gh, 3*n), at(q, n))
}

func (d *Device) GRUCellGrad(rows, units int, dgi, dgh, dq, dh, gates, gh, q kernels.Buffer) {
	n := rows * units
	d.eachNumber("gru_cell_grad", rows, units, at(dgi, 3*n), at(dgh, 3*n), at(dq, n), at(dh, n), at(gates, 3*n), at(gh, 3*n), at(q, n))
}

func (d *Device) TimeEncode(rows, cols int, dst, dt, w, b kernels.Buffer) {
	d.eachNumber("time_encode", rows, cols, at(dst, rows*cols), at(dt, rows), at(w, cols), at(b, cols))
}

func (d *Device) TimeEncodeGrad(rows, cols int, dw, db, g, dt, w, b kernels.Buffer) {
	d.sumColumns("time_encode_grad", rows, cols, at(dw, cols), at(db, cols), at(g, rows*cols), at(dt, rows), at(w, cols), at(b, cols))
}

func (d *Device) TimeProject(rows, cols int, dst, m, dt, w, b kernels.Buffer) {
	n := rows * cols
	d.eachNumber("time_project", rows, cols, at(dst, n), at(m, n), at(dt, rows), at(w, cols), at(b, cols))
}

func (d *Device) TimeProjectGrad(rows, cols int, dm, dw, db, g, m, dt, w, b kernels.Buffer) {
	n := rows * cols
	d.sumColumns("time_project_grad", rows, cols, at(dm, n), at(dw, cols), at(db, cols), at(g, n), at(m, n), at(dt, rows),
		at(w, cols), at(b, cols))
}

func (d *Device) Attend(a *kernels.Attention) {
	centres, nodes, edges, scores := attended(a)
	d.eachWarp("attend", a.Centres*a.Heads, below(a.Edges, a.Nodes), intParam(a.Heads), intParam(a.Channels), atInts(a.Offsets, a.Centres+1),
		atInts(a.Index, a.Edges), at(a.Q, centres), at(a.K, nodes), at(a.V, nodes), at(a.E, edges), maybe(a.Drop, scores),
		at(a.Weights, scores), at(a.Out, centres), d.fault())
}

func (d *Device) AttendGrad(a *kernels.Attention, g *kernels.AttentionGrad) {
	centres, nodes, edges, scores := attended(a)
	heads, channels, offsets, index := intParam(a.Heads), intParam(a.Channels), atInts(a.Offsets, a.Centres+1), atInts(a.Index, a.Edges)
	q, drop, weights, out := at(a.Q, centres), maybe(a.Drop, scores), at(a.Weights, scores), at(g.Out, centres)
	d.eachWarp("attend_grad", a.Centres*a.Heads, below(a.Edges, a.Nodes), heads, channels, offsets, index,
		q, at(a.K, nodes), at(a.V, nodes), at(a.E, edges), drop, weights, out, at(g.Scores, scores), at(g.Q, centres), at(g.E, edges),
		d.fault())
	d.Zero(nodes, g.K)
	d.Zero(nodes, g.V)
	d.eachTile("attend_grad_nodes", a.Edges, a.Heads*a.Channels, intParam(a.Edges), below(a.Edges, a.Nodes), intParam(a.Centres), heads, channels,
		offsets, index, q, drop, weights, out, at(g.Scores, scores), at(g.K, nodes), at(g.V, nodes), at(g.E, edges), d.fault())
}

// attended returns how many numbers centres, nodes, edges and scores are.
func attended(a *kernels.Attention) (centres, nodes, edges, scores int) {
	width := a.Heads * a.Channels
	return a.Centres * width, a.Nodes * width, a.Edges * width, a.Edges * a.Heads
}
