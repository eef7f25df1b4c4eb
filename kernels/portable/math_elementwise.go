package portable

// Add is dst = a + b.
func Add[T Float](dst, a, b []T) {
	for i := range dst {
		dst[i] = a[i] + b[i]
	}
}

// Sub is dst = a - b.
func Sub[T Float](dst, a, b []T) {
	for i := range dst {
		dst[i] = a[i] - b[i]
	}
}

// Mul is dst = a * b.
func Mul[T Float](dst, a, b []T) {
	for i := range dst {
		dst[i] = a[i] * b[i]
	}
}

// AddMul is dst += a * b.
func AddMul[T Float](dst, a, b []T) {
	for i := range dst {
		dst[i] = fma(a[i], b[i], dst[i])
	}
}

// Affine is dst = a*x + b.
func Affine[T Float](dst []T, a T, x []T, b T) {
	for i, v := range x {
		dst[i] = fma(a, v, b)
	}
}

// Axpy is y += a * x.
func Axpy[T Float](y []T, a T, x []T) {
	for i, v := range x {
		y[i] = fma(a, v, y[i])
	}
}

// AxpySum is y += a * (u + v).
func AxpySum[T Float](y []T, a T, u, v []T) {
	for i := range y {
		y[i] = fma(a, u[i]+v[i], y[i])
	}
}

// ReLU is dst = max(x, 0); NaN stays NaN.
func ReLU[T Float](dst, x []T) {
	for i, v := range x {
		if v < 0 {
			v = 0
		}
		dst[i] = v
	}
}

// ReLUGrad is dx = dy where y > 0, else 0. y may be the input of the ReLU or
// its output.
func ReLUGrad[T Float](dx, dy, y []T) {
	for i, v := range y {
		g := dy[i]
		if !(v > 0) {
			g = 0
		}
		dx[i] = g
	}
}

// Clamp is x = min(max(x, low), high). NaN stays.
func Clamp[T Float](x []T, low, high T) {
	for i, v := range x {
		x[i] = min(max(v, low), high)
	}
}
