package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// unary is a loop of dst = f(x). make may keep registers across the loop.
func unary(make func(m *machine) func(V) V) func(m *machine) {
	return func(m *machine) {
		dst, x, n := m.data("dst"), m.data("x"), m.size("x")
		f := make(m)
		m.span(n, func(l lanes) { l.store(dst, f(l.load(x))) })
	}
}

func relu(m *machine) func(V) V {
	zero := m.zero()
	return func(x V) V { return m.max(zero, x) }
}

// binary is a loop of dst = f(a, b).
func binary(f func(m *machine, a V, b operand.Op) V) func(m *machine) {
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

func sum(m *machine) {
	x, n := m.data("x"), m.size("x")
	m.reduction(n, func(l lanes, acc V) { m.VADDPS(l.load(x), acc, acc) })
}

func dot(m *machine) {
	a, b, n := m.data("a"), m.data("b"), m.size("a")
	m.reduction(n, func(l lanes, acc V) { m.addMul(acc, l.load(a), l.load(b)) })
}

func dotSum(m *machine) {
	a, u, v, n := m.data("a"), m.data("u"), m.data("v"), m.size("a")
	m.reduction(n, func(l lanes, acc V) { m.addMul(acc, l.load(a), m.add(l.load(u), l.load(v))) })
}

// reduction returns a float32 that is summed over all elements in sixteen
// lanes: lane i takes elements i, i+16, i+32, ... in order.
func (m *machine) reduction(n reg.Register, step func(l lanes, acc V)) {
	result, err := m.ReturnIndex(0).Resolve()
	if err != nil {
		panic(err)
	}
	acc := m.accumulators()
	m.groups(n, func(part int, l lanes) { step(l, acc[part]) })
	m.VMOVSS(m.tree(m.VADDPS, acc), result.Addr)
}

// accumulators are sixteen lanes of zeros.
func (m *machine) accumulators() []V {
	acc := make([]V, 16/m.lanes)
	for i := range acc {
		acc[i] = m.zero()
	}
	return acc
}

// tree joins sixteen lanes in the one order that all kernels use: lane i
// with i+8, then with i+4, i+2 and i+1. The result is in the lowest lane.
func (m *machine) tree(op func(...operand.Op), acc []V) V {
	eight, other := m.YMM(), m.YMM()
	if m.wide() {
		m.VEXTRACTF32X8(operand.U8(1), acc[0], other)
		op(other, acc[0].AsY(), eight)
	} else {
		op(acc[1], acc[0], eight)
	}
	four, half := m.XMM(), m.XMM()
	m.VEXTRACTF128(operand.U8(1), eight, half)
	op(half, eight.AsX(), four)
	two, pair := m.XMM(), m.XMM()
	m.VMOVHLPS(four, four, pair)
	op(pair, four, two)
	one, single := m.XMM(), m.XMM()
	m.VMOVSHDUP(two, single)
	op(single, two, one)
	return one
}

// treeAll is tree with the result in every lane.
func (m *machine) treeAll(op func(...operand.Op), acc []V) V {
	d := m.vec()
	m.VBROADCASTSS(m.tree(op, acc), d)
	return d
}

// sigmoidGrad is g*(y*(1 - y)).
func sigmoidGrad(m *machine) {
	dx, g, y, n := m.data("dx"), m.data("g"), m.data("y"), m.size("dx")
	one := m.set(m.c(1))
	m.span(n, func(l lanes) {
		v := l.load(y)
		l.store(dx, m.mul(l.load(g), m.mul(v, m.sub(one, v))))
	})
}

// mixture are the arrays that mix and its gradient read.
type mixture struct {
	*machine
	self, other, e, alpha, beta reg.Register
	one, zero                   V
}

func (m *machine) mixture(withE bool) *mixture {
	x := &mixture{
		machine: m, self: m.data("self"), other: m.data("other"), alpha: m.data("alpha"), beta: m.data("beta"),
		one: m.set(m.c(1)),
	}
	if withE {
		x.e = m.data("e")
	} else {
		x.zero = m.zero()
	}
	return x
}

func (x *mixture) loadE(l lanes) V {
	if x.e == nil {
		return x.zero
	}
	return l.load(x.e)
}

// inner is alpha*other + (1 - alpha)*e.
func (x *mixture) inner(alpha, other, e V) V {
	return x.fma(alpha, other, x.mul(x.sub(x.one, alpha), e))
}

// mix is beta*self + (1 - beta)*inner.
func mix(withE bool) func(m *machine) {
	return func(m *machine) {
		dst, n, x := m.data("dst"), m.size("dst"), m.mixture(withE)
		m.span(n, func(l lanes) {
			inner := x.inner(l.load(x.alpha), l.load(x.other), x.loadE(l))
			beta := l.load(x.beta)
			l.store(dst, m.fma(beta, l.load(x.self), m.mul(m.sub(x.one, beta), inner)))
		})
	}
}

// mixGrad is dself = beta*g, dbeta = g*(self - inner), and with
// into = (1 - beta)*g, dother = alpha*into, de = (1 - alpha)*into and
// dalpha = into*(other - e).
func mixGrad(withE bool) func(m *machine) {
	return func(m *machine) {
		dself, dother, dalpha, dbeta := m.data("dself"), m.data("dother"), m.data("dalpha"), m.data("dbeta")
		var de reg.Register
		if withE {
			de = m.data("de")
		}
		from, n, x := m.data("g"), m.size("g"), m.mixture(withE)
		m.span(n, func(l lanes) {
			g, alpha, beta, other, e := l.load(from), l.load(x.alpha), l.load(x.beta), l.load(x.other), x.loadE(l)
			l.store(dself, m.mul(g, beta))
			l.store(dbeta, m.mul(g, m.sub(l.load(x.self), x.inner(alpha, other, e))))
			into := m.mul(g, m.sub(x.one, beta))
			l.store(dother, m.mul(into, alpha))
			l.store(dalpha, m.mul(into, m.sub(other, e)))
			if withE {
				l.store(de, m.mul(into, m.sub(x.one, alpha)))
			}
		})
	}
}

func adam(m *machine) {
	p, g, mean, square, n := m.data("p"), m.data("g"), m.data("mean"), m.data("square"), m.size("p")
	decay, size, root, eps := m.scalar("decay"), m.scalar("size"), m.scalar("root"), m.scalar("eps")
	beta1, rest1, beta2, rest2 := m.scalar("beta1"), m.scalar("rest1"), m.scalar("beta2"), m.scalar("rest2")
	m.span(n, func(l lanes) {
		parameter := l.load(p)
		gradient := m.fma(decay, parameter, l.load(g))
		first := m.fma(rest1, gradient, m.mul(beta1, l.load(mean)))
		l.store(mean, first)
		second := m.fma(m.mul(rest2, gradient), gradient, m.mul(beta2, l.load(square)))
		l.store(square, second)
		d := m.fma(m.sqrt(second), root, eps)
		l.store(p, m.sub(parameter, m.div(m.mul(size, first), d)))
	})
}

func momentum(m *machine) {
	p, g, velocity, n := m.data("p"), m.data("g"), m.data("velocity"), m.size("p")
	decay, keep, rate := m.scalar("decay"), m.scalar("momentum"), m.scalar("rate")
	m.span(n, func(l lanes) {
		parameter := l.load(p)
		gradient := m.fma(decay, parameter, l.load(g))
		speed := m.fma(keep, l.load(velocity), gradient)
		l.store(velocity, speed)
		m.subMul(parameter, rate, speed)
		l.store(p, parameter)
	})
}

// edgeGrad is one head of one edge: dq += score*(k + e), dk += score*q,
// dv += weight*out, de = score*q + weight*out.
func edgeGrad(m *machine) {
	dq, dk, dv, de := m.data("dq"), m.data("dk"), m.data("dv"), m.data("de")
	q, k, e, out := m.data("q"), m.data("k"), m.data("e"), m.data("out")
	n, score, weight := m.size("q"), m.scalar("score"), m.scalar("weight")
	m.span(n, func(l lanes) {
		query, gradient := l.load(q), l.load(out)
		l.store(dq, m.fma(score, m.add(l.load(k), l.load(e)), l.load(dq)))
		l.store(dk, m.fma(score, query, l.load(dk)))
		l.store(dv, m.fma(weight, gradient, l.load(dv)))
		l.store(de, m.fma(weight, gradient, m.mul(score, query)))
	})
}
