package portable

// The functions of this file are those of the same names in Kernels.

func add[T Float](dst, a, b []T) {
	for i := range dst {
		dst[i] = a[i] + b[i]
	}
}

func mul[T Float](dst, a, b []T) {
	for i := range dst {
		dst[i] = a[i] * b[i]
	}
}

func addMul[T Float](dst, a, b []T) {
	for i := range dst {
		dst[i] = fma(a[i], b[i], dst[i])
	}
}

func affine[T Float](dst, x []T, a, b T) {
	for i, v := range x {
		dst[i] = fma(a, v, b)
	}
}

func axpy[T Float](y, x []T, a T) {
	for i, v := range x {
		y[i] = fma(a, v, y[i])
	}
}

func axpySum[T Float](y, u, v []T, a T) {
	for i := range y {
		y[i] = fma(a, u[i]+v[i], y[i])
	}
}

func relu[T Float](dst, x []T) {
	for i, v := range x {
		if v < 0 {
			v = 0
		}
		dst[i] = v
	}
}

func reluGrad[T Float](dx, dy, y []T) {
	for i, v := range y {
		g := dy[i]
		if !(v > 0) {
			g = 0
		}
		dx[i] = g
	}
}

func sigmoidGrad[T Float](dx, g, y []T) {
	for i, v := range y {
		dx[i] = g[i] * T(v*(1-v))
	}
}

func bceLoss[T Float](loss, x, y, w []T) {
	for i, v := range x {
		linear := fma(-v, y[i], max(v, 0))
		loss[i] = (linear + log1pExp(v)) * w[i]
	}
}

func bceGrad[T Float](dx, x, y, w []T, scale T) {
	for i, v := range x {
		dx[i] = scale * w[i] * (sigmoid(v) - y[i])
	}
}

func adam[T Float](p, g, mean, square []T, decay, beta1, rest1, beta2, rest2, size, root, eps T) {
	for i := range p {
		gradient := fma(decay, p[i], g[i])
		mean[i] = fma(rest1, gradient, T(beta1*mean[i]))
		square[i] = fma(T(rest2*gradient), gradient, T(beta2*square[i]))
		p[i] -= size * mean[i] / fma(sqrt(square[i]), root, eps)
	}
}

func momentum[T Float](p, g, velocity []T, decay, momentum, rate T) {
	for i := range p {
		gradient := fma(decay, p[i], g[i])
		velocity[i] = fma(momentum, velocity[i], gradient)
		p[i] = fma(-rate, velocity[i], p[i])
	}
}

// sum, dot and dotSum add in sixteen lanes, as the vector kernels do.

func sum[T Float](x []T) T {
	var lanes [16]T
	for i, v := range x {
		lanes[i%16] += v
	}
	return tree(&lanes)
}

func dot[T Float](a, b []T) T {
	var lanes [16]T
	for i, v := range a {
		lanes[i%16] = fma(v, b[i], lanes[i%16])
	}
	return tree(&lanes)
}

func dotSum[T Float](a, u, v []T) T {
	var lanes [16]T
	for i, x := range a {
		lanes[i%16] = fma(x, u[i]+v[i], lanes[i%16])
	}
	return tree(&lanes)
}

func tree[T Float](lanes *[16]T) T {
	for step := 8; step > 0; step /= 2 {
		for i := range step {
			lanes[i] += lanes[i+step]
		}
	}
	return lanes[0]
}
