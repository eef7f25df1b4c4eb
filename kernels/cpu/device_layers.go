package cpu

import "dgsbench/kernels"

// GRUCell is a GRU cell after its two products.
func (d *Device) GRUCell(rows, units int, h, gates, gi, gh, q kernels.Buffer) {
	n := rows * units
	d.kernels.GRUCell(take(h, n), take(gates, 3*n), take(gi, 3*n), take(gh, 3*n), take(q, n), units)
}

// GRUCellGrad is its gradient.
func (d *Device) GRUCellGrad(rows, units int, dgi, dgh, dq, dh, gates, gh, q kernels.Buffer) {
	n := rows * units
	d.kernels.GRUCellGrad(take(dgi, 3*n), take(dgh, 3*n), take(dq, n), take(dh, n), take(gates, 3*n), take(gh, 3*n), take(q, n), units)
}

// TimeEncode is dst = cos(w[j] dt[i] + b[j]).
func (d *Device) TimeEncode(rows, cols int, dst, dt, w, b kernels.Buffer) {
	d.kernels.TimeEncode(take(dst, rows*cols), cols, take(dt, rows), take(w, cols), take(b, cols))
}

// TimeEncodeGrad is its gradient.
func (d *Device) TimeEncodeGrad(rows, cols int, dw, db, g, dt, w, b kernels.Buffer) {
	d.Zero(cols, dw)
	d.Zero(cols, db)
	d.kernels.TimeEncodeGrad(take(dw, cols), take(db, cols), take(g, rows*cols), cols, take(dt, rows), take(w, cols), take(b, cols))
}

// TimeProject is dst = m[i,j] (1 + w[j] dt[i] + b[j]).
func (d *Device) TimeProject(rows, cols int, dst, m, dt, w, b kernels.Buffer) {
	n := rows * cols
	d.kernels.TimeProject(take(dst, n), take(m, n), take(dt, rows), take(w, cols), take(b, cols))
}

// TimeProjectGrad is its gradient.
func (d *Device) TimeProjectGrad(rows, cols int, dm, dw, db, g, m, dt, w, b kernels.Buffer) {
	n := rows * cols
	d.Zero(cols, dw)
	d.Zero(cols, db)
	d.kernels.TimeProjectGrad(take(dm, n), take(dw, cols), take(db, cols), take(g, n), take(m, n), take(dt, rows), take(w, cols), take(b, cols))
}

// Attend sets Weights and Out.
func (d *Device) Attend(a *kernels.Attention) {
	d.setAttention(a)
	d.kernels.Attend(&d.attention)
}

// AttendGrad sets the gradients.
func (d *Device) AttendGrad(a *kernels.Attention, g *kernels.AttentionGrad) {
	d.setAttention(a)
	width := a.Heads * a.Channels
	d.attentionGrad = AttentionGrad{
		Out: take(g.Out, a.Centres*width), Q: take(g.Q, a.Centres*width), E: take(g.E, a.Edges*width),
		K: take(g.K, a.Nodes*width), V: take(g.V, a.Nodes*width), Scores: take(g.Scores, a.Edges*a.Heads),
	}
	clear(d.attentionGrad.K)
	clear(d.attentionGrad.V)
	d.kernels.AttendGrad(&d.attention, &d.attentionGrad)
}

func (d *Device) setAttention(a *kernels.Attention) {
	width := a.Heads * a.Channels
	d.attention = Attention{
		Heads: a.Heads, Channels: a.Channels, Offsets: a.Offsets.(ints)[:a.Centres+1], Index: a.Index.(ints)[:a.Edges],
		Q: take(a.Q, a.Centres*width), Out: take(a.Out, a.Centres*width),
		K: take(a.K, a.Nodes*width), V: take(a.V, a.Nodes*width), E: take(a.E, a.Edges*width),
		Weights: take(a.Weights, a.Edges*a.Heads),
	}
	if a.Drop != nil {
		d.attention.Drop = take(a.Drop, a.Edges*a.Heads)
	}
}
