package reference

import (
	"dgsbench/kernels"
	"dgsbench/kernels/portable"
)

// GRUCell is a GRU cell after its two products.
func (Device) GRUCell(rows, units int, h, gates, gi, gh, q kernels.Buffer) {
	n := rows * units
	portable.GRUCell(take(h, n), take(gates, 3*n), take(gi, 3*n), take(gh, 3*n), take(q, n), units)
}

// GRUCellGrad is its gradient.
func (Device) GRUCellGrad(rows, units int, dgi, dgh, dq, dh, gates, gh, q kernels.Buffer) {
	n := rows * units
	portable.GRUCellGrad(take(dgi, 3*n), take(dgh, 3*n), take(dq, n), take(dh, n), take(gates, 3*n), take(gh, 3*n), take(q, n), units)
}

// TimeEncode is dst = cos(w[j] dt[i] + b[j]).
func (Device) TimeEncode(rows, cols int, dst, dt, w, b kernels.Buffer) {
	portable.TimeEncode(take(dst, rows*cols), cols, take(dt, rows), take(w, cols), take(b, cols))
}

// TimeEncodeGrad is its gradient.
func (d Device) TimeEncodeGrad(rows, cols int, dw, db, g, dt, w, b kernels.Buffer) {
	d.Zero(cols, dw)
	d.Zero(cols, db)
	portable.TimeEncodeGrad(take(dw, cols), take(db, cols), take(g, rows*cols), cols, take(dt, rows), take(w, cols), take(b, cols))
}

// TimeProject is dst = m[i,j] (1 + w[j] dt[i] + b[j]).
func (Device) TimeProject(rows, cols int, dst, m, dt, w, b kernels.Buffer) {
	n := rows * cols
	portable.TimeProject(plain{}, take(dst, n), take(m, n), take(dt, rows), take(w, cols), take(b, cols))
}

// TimeProjectGrad is its gradient.
func (d Device) TimeProjectGrad(rows, cols int, dm, dw, db, g, m, dt, w, b kernels.Buffer) {
	n := rows * cols
	d.Zero(cols, dw)
	d.Zero(cols, db)
	portable.TimeProjectGrad(plain{}, take(dm, n), take(dw, cols), take(db, cols), take(g, n), take(m, n), take(dt, rows), take(w, cols), take(b, cols))
}

// Attend sets Weights and Out.
func (Device) Attend(a *kernels.Attention) { portable.Attend(plain{}, attention(a)) }

// AttendGrad sets the gradients.
func (Device) AttendGrad(a *kernels.Attention, g *kernels.AttentionGrad) {
	width := a.Heads * a.Channels
	exact := portable.AttentionGrad[float64]{
		Out: take(g.Out, a.Centres*width), Q: take(g.Q, a.Centres*width), E: take(g.E, a.Edges*width),
		K: take(g.K, a.Nodes*width), V: take(g.V, a.Nodes*width), Scores: take(g.Scores, a.Edges*a.Heads),
	}
	clear(exact.K)
	clear(exact.V)
	portable.AttendGrad(plain{}, attention(a), &exact)
}

func attention(a *kernels.Attention) *portable.Attention[float64] {
	width := a.Heads * a.Channels
	exact := &portable.Attention[float64]{
		Heads: a.Heads, Channels: a.Channels, Offsets: a.Offsets.(ints)[:a.Centres+1], Index: a.Index.(ints)[:a.Edges],
		Q: take(a.Q, a.Centres*width), Out: take(a.Out, a.Centres*width),
		K: take(a.K, a.Nodes*width), V: take(a.V, a.Nodes*width), E: take(a.E, a.Edges*width),
		Weights: take(a.Weights, a.Edges*a.Heads),
	}
	if a.Drop != nil {
		exact.Drop = take(a.Drop, a.Edges*a.Heads)
	}
	return exact
}
