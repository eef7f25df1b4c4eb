package main

const (
	unarySignature  = "func(dst, x []float32)"
	binarySignature = "func(dst, a, b []float32)"
)

var elementwise = []kernel{
	{"relu", unarySignature, unary(func(m *machine) func(V) V {
		zero := m.zero()
		return func(x V) V { return m.max(zero, x) }
	})},
	{"add", binarySignature, binary(func(m *machine, a, b V) V { return m.add(a, b) })},
	{"sub", binarySignature, binary(func(m *machine, a, b V) V { return m.sub(a, b) })},
	{"mul", binarySignature, binary(func(m *machine, a, b V) V { return m.mul(a, b) })},
	{"reluGrad", "func(dx, dy, y []float32)", reluGrad},
	{"addMul", binarySignature, addMul},
	{"affine", "func(dst, x []float32, a, b float32)", affine},
	{"axpy", "func(y, x []float32, a float32)", axpy},
	{"axpySum", "func(y, u, v []float32, a float32)", axpySum},
}

// unary is a loop of dst = f(x). make may keep registers across the loop.
func unary(make func(m *machine) func(V) V) func(m *machine) {
	return func(m *machine) {
		dst, x, n := m.data("dst"), m.data("x"), m.size("x")
		f := make(m)
		m.span(n, func(l lanes) { l.store(dst, f(l.load(x))) })
	}
}

// binary is a loop of dst = f(a, b).
func binary(f func(m *machine, a, b V) V) func(m *machine) {
	return func(m *machine) {
		dst, a, b, n := m.data("dst"), m.data("a"), m.data("b"), m.size("dst")
		m.span(n, func(l lanes) { l.store(dst, f(m, l.load(a), l.load(b))) })
	}
}

func reluGrad(m *machine) {
	dx, dy, y, n := m.data("dx"), m.data("dy"), m.data("y"), m.size("dx")
	zero := m.zero()
	m.span(n, func(l lanes) {
		active := m.compare(greaterThan, l.load(y), zero)
		l.store(dx, m.choose(active, l.load(dy), zero))
	})
}

// addMul is dst += a*b.
func addMul(m *machine) {
	dst, a, b, n := m.data("dst"), m.data("a"), m.data("b"), m.size("dst")
	m.span(n, func(l lanes) {
		sum := l.load(dst)
		m.addMul(sum, l.load(a), l.load(b))
		l.store(dst, sum)
	})
}

// affine is dst = a*x + b.
func affine(m *machine) {
	dst, x, n, a, b := m.data("dst"), m.data("x"), m.size("x"), m.scalar("a"), m.scalar("b")
	m.span(n, func(l lanes) { l.store(dst, m.fma(a, l.load(x), b)) })
}

// axpy is y += a*x.
func axpy(m *machine) {
	y, x, n, a := m.data("y"), m.data("x"), m.size("x"), m.scalar("a")
	m.span(n, func(l lanes) {
		sum := l.load(y)
		m.addMul(sum, a, l.load(x))
		l.store(y, sum)
	})
}

// axpySum is y += a*(u + v).
func axpySum(m *machine) {
	y, u, v, n, a := m.data("y"), m.data("u"), m.data("v"), m.size("y"), m.scalar("a")
	m.span(n, func(l lanes) {
		sum := l.load(y)
		m.addMul(sum, a, m.add(l.load(u), l.load(v)))
		l.store(y, sum)
	})
}
