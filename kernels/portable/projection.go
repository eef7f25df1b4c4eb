package portable

// TimeProject is dst[i,j] = m[i,j]*(1 + w[j]*dt[i] + b[j]) over rows that
// are len(w) wide.
func TimeProject[T Float](k Rows[T], dst, m, dt, w, b []T) {
	cols := len(w)
	for i, t := range dt {
		row := dst[i*cols:][:cols]
		growth(k, row, t, w, b)
		k.Mul(row, row, m[i*cols:][:cols])
	}
}

// growth is dst = w*t + 1 + b.
func growth[T Float](k Rows[T], dst []T, t T, w, b []T) {
	k.Affine(dst, t, w, 1)
	k.Add(dst, dst, b)
}

// TimeProjectGrad sets the gradient of m and adds those of w and b:
//
//	dm[i,j] = g[i,j]*(1 + w[j]*dt[i] + b[j])
//	dw[j] += sum over i of g[i,j]*m[i,j]*dt[i],  db[j] += sum over i of g[i,j]*m[i,j]
//
// with the rows in order.
func TimeProjectGrad[T Float](k Rows[T], dm, dw, db, g, m, dt, w, b []T) {
	cols := len(w)
	for i, t := range dt {
		row, d := dm[i*cols:][:cols], g[i*cols:][:cols]
		k.Mul(row, d, m[i*cols:][:cols])
		k.Add(db, db, row)
		k.Axpy(dw, t, row)
		growth(k, row, t, w, b)
		k.Mul(row, row, d)
	}
}
