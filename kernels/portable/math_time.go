package portable

// TimeEncode is dst[i,j] = cos(w[j]*dt[i] + b[j]) for rows i of dst, which
// are stride elements apart and len(w) wide. The product is rounded before
// the sum, as PyTorch does it.
func TimeEncode[T Float](dst []T, stride int, dt, w, b []T) {
	for i, t := range dt {
		row := dst[i*stride:][:len(w)]
		for j := range row {
			row[j] = cos(T(w[j]*t) + b[j])
		}
	}
}

// TimeEncodeGrad adds the gradients of w and b, where dout is that of the
// encoding:
//
//	g[i,j] = dout[i,j] * sin(w[j]*dt[i] + b[j])
//	dw[j] -= sum over i of g[i,j]*dt[i],  db[j] -= sum over i of g[i,j]
//
// with the rows in order.
func TimeEncodeGrad[T Float](dw, db, dout []T, stride int, dt, w, b []T) {
	for i, t := range dt {
		row := dout[i*stride:][:len(w)]
		for j, d := range row {
			g := sin(T(w[j]*t)+b[j]) * d
			db[j] -= g
			dw[j] = fma(-g, t, dw[j])
		}
	}
}
