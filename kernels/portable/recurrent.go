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
	forward, backward   func(lo, hi int) // run and runGrad
}

// run computes rows lo to hi-1.
func (g *gru[T]) run(lo, hi int) {
	for at := lo * g.units; at < hi*g.units; at += g.units {
		g.k.GRURow(one(g.h, at, g.units), three(g.gates, at, g.units), three(g.gi, at, g.units), three(g.gh, at, g.units), one(g.q, at, g.units))
	}
}

func (d *Device[T]) GRUCell(rows, units int, h, gates, gi, gh, q kernels.Buffer) {
	n := rows * units
	g := &d.gru
	g.k, g.units, g.h, g.q = d.k, units, d.in(h, n), d.in(q, n)
	g.gates, g.gi, g.gh = d.in(gates, 3*n), d.in(gi, 3*n), d.in(gh, 3*n)
	d.Divide(rows, 11*n, g.forward)
}

// one is a row of units numbers.
func one[T Float](x []T, at, units int) []T { return x[at:][:units] }

// three is the row of the gates.
func three[T Float](x []T, at, units int) []T { return x[3*at:][:3*units] }

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
	g := &d.gru
	g.k, g.units, g.dq, g.dh, g.q = d.k, units, d.in(dq, n), d.in(dh, n), d.in(q, n)
	g.dgi, g.dgh, g.gates, g.gh = d.in(dgi, 3*n), d.in(dgh, 3*n), d.in(gates, 3*n), d.in(gh, 3*n)
	d.Divide(rows, 15*n, g.backward)
}

func (g *gru[T]) runGrad(lo, hi int) {
	for at := lo * g.units; at < hi*g.units; at += g.units {
		g.k.GRURowGrad(three(g.dgi, at, g.units), three(g.dgh, at, g.units), one(g.dq, at, g.units),
			one(g.dh, at, g.units), three(g.gates, at, g.units), three(g.gh, at, g.units), one(g.q, at, g.units))
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
	k                 *Kernels[T]
	cols              int
	rows, dt, w, b    []T // rows is the result, or the gradient of it
	dw, db            []T
	far               timeRange
	forward, backward func(lo, hi int) // run and runGrad
}

func (t *times[T]) run(lo, hi int) {
	for i, dt := range t.dt[lo:hi] {
		row := t.k.TimeRow
		if t.far.exceeds(float64(dt)) {
			row = timeRow
		}
		row(t.rows[(lo+i)*t.cols:][:t.cols], t.w, t.b, dt)
	}
}

func (d *Device[T]) setTimes(rows, cols int, of, dt, w, b kernels.Buffer) *times[T] {
	t := &d.times
	t.k, t.cols, t.rows, t.dt, t.w, t.b = d.k, cols, d.in(of, rows*cols), d.in(dt, rows), d.in(w, cols), d.in(b, cols)
	t.far = newTimeRange(t.w, t.b)
	return t
}

// TimeEncode rounds the product before the sum, as PyTorch does.
func (d *Device[T]) TimeEncode(rows, cols int, dst, dt, w, b kernels.Buffer) {
	d.Divide(rows, rows*cols, d.setTimes(rows, cols, dst, dt, w, b).forward)
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
	t := d.setTimes(rows, cols, g, dt, w, b)
	t.dw, t.db = d.zeros(dw, cols), d.zeros(db, cols)
	d.Divide(cols, rows*cols, t.backward)
}

// runGrad computes columns lo to hi-1.
func (t *times[T]) runGrad(lo, hi int) {
	for i, dt := range t.dt {
		row := t.k.TimeRowGrad
		if t.far.exceeds(float64(dt)) {
			row = timeRowGrad
		}
		row(t.dw[lo:hi], t.db[lo:hi], t.rows[i*t.cols:][lo:hi], t.w[lo:hi], t.b[lo:hi], dt)
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

// largest is the largest magnitude in x, or NaN.
func largest[T Float](x []T) float64 {
	var low, high T
	for _, v := range x { // branches that are rarely taken: max(v, -v) takes ten times as long
		if v > high {
			high = v
		} else if v < low {
			low = v
		} else if v != v {
			return math.NaN()
		}
	}
	return float64(max(high, -low))
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
