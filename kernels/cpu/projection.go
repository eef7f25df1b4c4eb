package cpu

import "dgsbench/kernels/portable"

// TimeProject is dst[i,j] = m[i,j]*(1 + w[j]*dt[i] + b[j]); see
// [portable.TimeProject].
func (k Kernels) TimeProject(dst, m, dt, w, b []float32) {
	same("TimeProject", len(w), len(b))
	same("TimeProject", len(dt)*len(w), len(dst), len(m))
	portable.TimeProject(k, dst, m, dt, w, b)
}

// TimeProjectGrad sets the gradient of m and adds those of w and b; see
// [portable.TimeProjectGrad].
func (k Kernels) TimeProjectGrad(dm, dw, db, g, m, dt, w, b []float32) {
	same("TimeProjectGrad", len(w), len(b), len(dw), len(db))
	same("TimeProjectGrad", len(dt)*len(w), len(dm), len(g), len(m))
	portable.TimeProjectGrad(k, dm, dw, db, g, m, dt, w, b)
}
