package portable

import (
	"math"

	"dgsbench/kernels"
)

// gru is the operands of the kernels of a GRU, on slices.
type gru[T Float] struct {
	k                   *Kernels[T]
	units               int
	h, gates, gi, gh, q []T
	dgi, dgh, dq, dh    []T
}

func (d *Device[T]) GRUCell(rows, units int, h, gates, gi, gh, q kernels.Buffer) {
	n := rows * units
	d.gru = gru[T]{k: d.k, units: units, h: d.in(h, n), gates: d.in(gates, 3*n), gi: d.in(gi, 3*n), gh: d.in(gh, 3*n), q: d.in(q, n)}
	d.Divide(rows, 11*n, d.runGRU)
}

// run computes rows lo to hi-1.
func (g *gru[T]) run(lo, hi int) {
	one, three := g.units, 3*g.units
	for i := lo; i < hi; i++ {
		g.k.GRURow(row(g.h, i, one), row(g.gates, i, three), row(g.gi, i, three), row(g.gh, i, three), row(g.q, i, one))
	}
}

// row is row i of a matrix of cols columns.
func row[T any](x []T, i, cols int) []T { return x[i*cols:][:cols] }

func gruRow[T Float](h, gates, gi, gh, q []T) {
	units := len(h)
	for j := range h {
		r, z, n := j, j+units, j+2*units
		gates[r] = sigmoid(gi[r] + gh[r])
		gates[z] = sigmoid(gi[z] + gh[z])
		gates[n] = tanh(fma(gates[r], gh[n], gi[n]))
		h[j] = fma(gates[z], q[j]-gates[n], gates[n])
	}
}

// GRUCellGrad is the gradient of gi, gh and q, from that of h:
//
//	dq = dh z
//	dgi_n = dh (1 - z) (1 - n^2)    dgh_n = dgi_n r
//	dgi_z = dh (q - n) z (1 - z)    dgh_z = dgi_z
//	dgi_r = dgi_n gh_n r (1 - r)    dgh_r = dgi_r
//
// The matrix product of dgh with W_h gives the rest of dq. dq may be dh.
func (d *Device[T]) GRUCellGrad(rows, units int, dgi, dgh, dq, dh, gates, gh, q kernels.Buffer) {
	n := rows * units
	d.gru = gru[T]{
		k: d.k, units: units, dgi: d.in(dgi, 3*n), dgh: d.in(dgh, 3*n), dq: d.in(dq, n),
		dh: d.in(dh, n), gates: d.in(gates, 3*n), gh: d.in(gh, 3*n), q: d.in(q, n),
	}
	d.Divide(rows, 15*n, d.runGRUGrad)
}

// runGrad does the same for the gradient.
func (g *gru[T]) runGrad(lo, hi int) {
	one, three := g.units, 3*g.units
	for i := lo; i < hi; i++ {
		g.k.GRURowGrad(row(g.dgi, i, three), row(g.dgh, i, three), row(g.dq, i, one),
			row(g.dh, i, one), row(g.gates, i, three), row(g.gh, i, three), row(g.q, i, one))
	}
}

func gruRowGrad[T Float](dgi, dgh, dq, dh, gates, gh, q []T) {
	units := len(dh)
	for j := range dh {
		iR, iZ, iN := j, j+units, j+2*units
		d, r, z, n := dh[j], gates[iR], gates[iZ], gates[iN]
		dz := d * (q[j] - n) * T(z*(1-z))
		dn := d * (1 - z) * fma(-n, n, 1)
		dr := dn * gh[iN] * T(r*(1-r))
		dq[j] = d * z
		dgi[iR], dgi[iZ], dgi[iN] = dr, dz, dn
		dgh[iR], dgh[iZ], dgh[iN] = dr, dz, dn*r
	}
}

// times is the operands of the kernels of time encodings, on slices.
type times[T Float] struct {
	k              *Kernels[T]
	cols           int
	rows, dt, w, b []T // rows is the result, or the gradient of it
	dw, db         []T
	far            timeRange
}

func (d *Device[T]) setTimes(rows, cols int, of, dt, w, b kernels.Buffer) {
	d.times = times[T]{k: d.k, cols: cols, rows: d.in(of, rows*cols), dt: d.in(dt, rows), w: d.in(w, cols), b: d.in(b, cols)}
	d.times.far = newTimeRange(d.times.w, d.times.b)
}

// TimeEncode rounds the product before the sum, as PyTorch does.
func (d *Device[T]) TimeEncode(rows, cols int, dst, dt, w, b kernels.Buffer) {
	d.setTimes(rows, cols, dst, dt, w, b)
	d.Divide(rows, rows*cols, d.runTimes)
}

// run computes rows lo to hi-1.
func (t *times[T]) run(lo, hi int) {
	for i := lo; i < hi; i++ {
		kernel := t.k.TimeRow
		if t.far.exceeds(float64(t.dt[i])) {
			kernel = timeRow
		}
		kernel(row(t.rows, i, t.cols), t.w, t.b, t.dt[i])
	}
}

func timeRow[T Float](dst, w, b []T, dt T) {
	for j := range dst {
		dst[j] = cos(T(w[j]*dt) + b[j])
	}
}

// TimeEncodeGrad is, with the rows in order,
//
//	s[i,j] = g[i,j] sin(w[j] dt[i] + b[j])
//	dw[j] = -sum over i of s[i,j] dt[i],  db[j] = -sum over i of s[i,j]
//
// It is divided by columns, so that every sum is over all rows.
func (d *Device[T]) TimeEncodeGrad(rows, cols int, dw, db, g, dt, w, b kernels.Buffer) {
	d.setTimes(rows, cols, g, dt, w, b)
	d.times.dw, d.times.db = d.zeros(dw, cols), d.zeros(db, cols)
	d.Divide(cols, rows*cols, d.runTimesGrad)
}

// runGrad computes columns lo to hi-1.
func (t *times[T]) runGrad(lo, hi int) {
	for i, dt := range t.dt {
		kernel := t.k.TimeRowGrad
		if t.far.exceeds(float64(dt)) {
			kernel = timeRowGrad
		}
		kernel(t.dw[lo:hi], t.db[lo:hi], row(t.rows, i, t.cols)[lo:hi], t.w[lo:hi], t.b[lo:hi], dt)
	}
}

func timeRowGrad[T Float](dw, db, dout, w, b []T, dt T) {
	for j, d := range dout {
		g := sin(T(w[j]*dt)+b[j]) * d
		db[j] -= g
		dw[j] = fma(-g, dt, dw[j])
	}
}

// timeRange bounds the arguments of cos by the largest |w| and |b|.
type timeRange struct{ w, b float64 }

func newTimeRange[T Float](w, b []T) timeRange { return timeRange{largest(w), largest(b)} }

// largest is the largest magnitude in x, or NaN, whose bits are above all.
func largest[T Float](x []T) float64 {
	var bits uint64
	for _, v := range x { // integers, as a maximum of numbers takes longer
		bits = max(bits, math.Float64bits(float64(v))&^(1<<63))
	}
	return math.Float64frombits(bits)
}

// exceeds reports whether an argument may lie beyond trigLimit.
func (r timeRange) exceeds(dt float64) bool {
	t := max(dt, -dt)
	return !(r.w*t+r.b < trigLimit)
}

func (d *Device[T]) TimeProject(rows, cols int, dst, m, dt, w, b kernels.Buffer) {
	to, from, weights, bias := d.in(dst, rows*cols), d.in(m, rows*cols), d.in(w, cols), d.in(b, cols)
	for i, t := range d.in(dt, rows) {
		row := to[i*cols:][:cols]
		d.k.growth(row, t, weights, bias)
		d.k.Mul(row, row, from[i*cols:][:cols])
	}
}

// growth is dst = w t + 1 + b.
func (k *Kernels[T]) growth(dst []T, t T, w, b []T) {
	k.Affine(dst, w, t, 1)
	k.Add(dst, dst, b)
}

// TimeProjectGrad is, with the rows in order,
//
//	dm[i,j] = g[i,j] (1 + w[j] dt[i] + b[j])
//	dw[j] = sum over i of g[i,j] m[i,j] dt[i],  db[j] = sum over i of g[i,j] m[i,j]
func (d *Device[T]) TimeProjectGrad(rows, cols int, dm, dw, db, g, m, dt, w, b kernels.Buffer) {
	k, n := d.k, rows*cols
	to, ofW, ofB := d.in(dm, n), d.zeros(dw, cols), d.zeros(db, cols)
	gradients, from, weights, bias := d.in(g, n), d.in(m, n), d.in(w, cols), d.in(b, cols)
	for i, t := range d.in(dt, rows) {
		row, gradient := to[i*cols:][:cols], gradients[i*cols:][:cols]
		k.Mul(row, gradient, from[i*cols:][:cols])
		k.Add(ofB, ofB, row)
		k.Axpy(ofW, row, t)
		k.growth(row, t, weights, bias)
		k.Mul(row, row, gradient)
	}
}
