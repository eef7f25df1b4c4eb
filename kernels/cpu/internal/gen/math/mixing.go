package main

import "github.com/mmcloughlin/avo/reg"

// The kernels without e take it for zeros.
var mixing = []kernel{
	{"sigmoidGrad", "func(dx, g, y []float32)", sigmoidGrad},
	{"mix", "func(dst, self, other, e, alpha, beta []float32)", mix(true)},
	{"mixWithoutE", "func(dst, self, other, alpha, beta []float32)", mix(false)},
	{"mixGrad", "func(dself, dother, de, dalpha, dbeta, g, self, other, e, alpha, beta []float32)", mixGrad(true)},
	{"mixGradWithoutE", "func(dself, dother, dalpha, dbeta, g, self, other, alpha, beta []float32)", mixGrad(false)},
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
