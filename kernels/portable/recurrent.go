package portable

// GRUCell is the elementwise part of a GRU cell in PyTorch's convention. From
// the pre-activations gi = W_i a + b_i and gh = W_h q + b_h, whose rows hold
// the blocks r, z, n of units columns each, and the state q it computes
//
//	r = sigmoid(gi_r + gh_r)
//	z = sigmoid(gi_z + gh_z)
//	n = tanh(gi_n + r gh_n)
//	h = n + z (q - n)  (= (1 - z) n + z q)
//
// gates receives r, z, n in the layout of gi; the gradient needs it. h may be
// q, and gates may be gi.
func (k *Kernels[T]) GRUCell(h, gates, gi, gh, q []T, units int) {
	for at := 0; at < len(h); at += units {
		k.GRURow(h[at:at+units], gates[3*at:][:3*units], gi[3*at:][:3*units], gh[3*at:][:3*units], q[at:at+units])
	}
}

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
// dq is only the part that does not pass gh; the matrix product with W_h
// gives the rest. dq may be dh.
func (k *Kernels[T]) GRUCellGrad(dgi, dgh, dq, dh, gates, gh, q []T, units int) {
	for at := 0; at < len(dh); at += units {
		k.GRURowGrad(dgi[3*at:][:3*units], dgh[3*at:][:3*units], dq[at:at+units],
			dh[at:at+units], gates[3*at:][:3*units], gh[3*at:][:3*units], q[at:at+units])
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

// TimeEncode is dst[i,j] = cos(w[j] dt[i] + b[j]) for rows i of dst, which are
// len(w) wide. The product is rounded before the sum, as PyTorch does it.
func (k *Kernels[T]) TimeEncode(dst, dt, w, b []T) {
	far := newTimeRange(w, b)
	for i, t := range dt {
		row := k.TimeRow
		if far.exceeds(float64(t)) {
			row = timeRow
		}
		row(dst[i*len(w):][:len(w)], w, b, t)
	}
}

func timeRow[T Float](dst, w, b []T, dt T) {
	for j := range dst {
		dst[j] = cos(T(w[j]*dt) + b[j])
	}
}

// TimeEncodeGrad adds the gradients of w and b, dout being that of the
// encoding:
//
//	g[i,j] = dout[i,j] sin(w[j] dt[i] + b[j])
//	dw[j] -= sum over i of g[i,j] dt[i],  db[j] -= sum over i of g[i,j]
//
// with the rows in order.
func (k *Kernels[T]) TimeEncodeGrad(dw, db, dout, dt, w, b []T) {
	far := newTimeRange(w, b)
	for i, t := range dt {
		row := k.TimeRowGrad
		if far.exceeds(float64(t)) {
			row = timeRowGrad
		}
		row(dw, db, dout[i*len(w):][:len(w)], w, b, t)
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
	var top float64
	for _, v := range x {
		top = max(top, float64(v), -float64(v))
	}
	return top
}

// exceeds reports whether an argument may lie beyond TrigLimit.
func (r timeRange) exceeds(dt float64) bool {
	t := max(dt, -dt)
	return !(r.w*t+r.b < TrigLimit)
}

// TimeProject is dst[i,j] = m[i,j] (1 + w[j] dt[i] + b[j]) over rows that are
// len(w) wide.
func (k *Kernels[T]) TimeProject(dst, m, dt, w, b []T) {
	cols := len(w)
	for i, t := range dt {
		row := dst[i*cols:][:cols]
		k.growth(row, t, w, b)
		k.Mul(row, row, m[i*cols:][:cols])
	}
}

// growth is dst = w t + 1 + b.
func (k *Kernels[T]) growth(dst []T, t T, w, b []T) {
	k.Affine(dst, w, t, 1)
	k.Add(dst, dst, b)
}

// TimeProjectGrad sets the gradient of m and adds those of w and b:
//
//	dm[i,j] = g[i,j] (1 + w[j] dt[i] + b[j])
//	dw[j] += sum over i of g[i,j] m[i,j] dt[i],  db[j] += sum over i of g[i,j] m[i,j]
//
// with the rows in order.
func (k *Kernels[T]) TimeProjectGrad(dm, dw, db, g, m, dt, w, b []T) {
	cols := len(w)
	for i, t := range dt {
		row, d := dm[i*cols:][:cols], g[i*cols:][:cols]
		k.Mul(row, d, m[i*cols:][:cols])
		k.Add(db, db, row)
		k.Axpy(dw, row, t)
		k.growth(row, t, w, b)
		k.Mul(row, row, d)
	}
}
