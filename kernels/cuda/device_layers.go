//go:build gpu

package cuda

import "dgsbench/kernels"

// GRUCell is a GRU cell after its two products.
func (d *Device) GRUCell(rows, units int, h, gates, gi, gh, q kernels.Buffer) {
	n := rows * units
	d.eachNumber("gru_cell", rows, units, at(h, n), at(gates, 3*n), at(gi, 3*n), at(gh, 3*n), at(q, n))
}

// GRUCellGrad is its gradient.
func (d *Device) GRUCellGrad(rows, units int, dgi, dgh, dq, dh, gates, gh, q kernels.Buffer) {
	n := rows * units
	d.eachNumber("gru_cell_grad", rows, units, at(dgi, 3*n), at(dgh, 3*n), at(dq, n), at(dh, n), at(gates, 3*n), at(gh, 3*n), at(q, n))
}

// TimeEncode is dst = cos(w[j] dt[i] + b[j]).
func (d *Device) TimeEncode(rows, cols int, dst, dt, w, b kernels.Buffer) {
	d.eachNumber("time_encode", rows, cols, at(dst, rows*cols), at(dt, rows), at(w, cols), at(b, cols))
}

// TimeEncodeGrad is its gradient.
func (d *Device) TimeEncodeGrad(rows, cols int, dw, db, g, dt, w, b kernels.Buffer) {
	d.sumColumns("time_encode_grad", rows, cols, at(dw, cols), at(db, cols), at(g, rows*cols), at(dt, rows), at(w, cols), at(b, cols))
}

// TimeProject is dst = m[i,j] (1 + w[j] dt[i] + b[j]).
func (d *Device) TimeProject(rows, cols int, dst, m, dt, w, b kernels.Buffer) {
	n := rows * cols
	d.eachNumber("time_project", rows, cols, at(dst, n), at(m, n), at(dt, rows), at(w, cols), at(b, cols))
}

// TimeProjectGrad is its gradient.
func (d *Device) TimeProjectGrad(rows, cols int, dm, dw, db, g, m, dt, w, b kernels.Buffer) {
	n := rows * cols
	d.sumColumns("time_project_grad", rows, cols, at(dm, n), at(dw, cols), at(db, cols), at(g, n), at(m, n), at(dt, rows), at(w, cols), at(b, cols))
}

// Attend sets Weights and Out.
func (d *Device) Attend(a *kernels.Attention) {
	centres, nodes, edges, scores := attended(a)
	d.eachWarp("attend", a.Centres*a.Heads, below(a.Edges, a.Nodes), whole(a.Heads), whole(a.Channels), list(a.Offsets, a.Centres+1), list(a.Index, a.Edges),
		at(a.Q, centres), at(a.K, nodes), at(a.V, nodes), at(a.E, edges), maybe(a.Drop, scores), at(a.Weights, scores), at(a.Out, centres), d.fault())
}

// AttendGrad sets the gradients.
func (d *Device) AttendGrad(a *kernels.Attention, g *kernels.AttentionGrad) {
	centres, nodes, edges, scores := attended(a)
	heads, channels, offsets, index := whole(a.Heads), whole(a.Channels), list(a.Offsets, a.Centres+1), list(a.Index, a.Edges)
	q, drop, weights, out := at(a.Q, centres), maybe(a.Drop, scores), at(a.Weights, scores), at(g.Out, centres)
	d.eachWarp("attend_grad", a.Centres*a.Heads, below(a.Edges, a.Nodes), heads, channels, offsets, index,
		q, at(a.K, nodes), at(a.V, nodes), at(a.E, edges), drop, weights, out, at(g.Scores, scores), at(g.Q, centres), at(g.E, edges), d.fault())
	d.Zero(nodes, g.K)
	d.Zero(nodes, g.V)
	d.eachTile("attend_grad_nodes", a.Edges, a.Heads*a.Channels, whole(a.Edges), below(a.Edges, a.Nodes), whole(a.Centres), heads, channels, offsets, index,
		q, drop, weights, out, at(g.Scores, scores), at(g.K, nodes), at(g.V, nodes), at(g.E, edges), d.fault())
}

// attended is how many numbers centres, nodes and edges have, and how many
// scores there are.
func attended(a *kernels.Attention) (centres, nodes, edges, scores int) {
	width := a.Heads * a.Channels
	return a.Centres * width, a.Nodes * width, a.Edges * width, a.Edges * a.Heads
}
