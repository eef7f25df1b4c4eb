package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// bceLoss is w * (max(x, 0) - x*y + log(1 + e^-|x|)).
func bceLoss(m *machine) {
	loss, x, y, w, n := m.data("loss"), m.data("x"), m.data("y"), m.data("w"), m.size("x")
	e := m.exponential()
	m.span(n, func(l lanes) {
		v := l.load(x)
		linear := m.max(m.zero(), v)
		m.subMul(linear, v, l.load(y))
		l.store(loss, m.mul(m.add(linear, e.log1pExp(v)), l.load(w)))
	})
}

// bceGrad is scale * w * (sigmoid(x) - y).
func bceGrad(m *machine) {
	dx, x, y, w, n, scale := m.data("dx"), m.data("x"), m.data("y"), m.data("w"), m.size("x"), m.scalar("scale")
	e := m.exponential()
	m.span(n, func(l lanes) {
		d := m.sub(e.sigmoid(l.load(x)), l.load(y))
		l.store(dx, m.mul(m.mul(scale, l.load(w)), d))
	})
}

// timeForward is cos(w*dt + b), the product rounded before the sum.
func timeForward(m *machine) {
	dst, w, b, n, dt := m.data("dst"), m.data("w"), m.data("b"), m.size("dst"), m.scalar("dt")
	m.span(n, func(l lanes) {
		l.store(dst, m.cos(m.add(m.mul(l.load(w), dt), l.load(b))))
	})
}

// timeBackward is g = dout*sin(w*dt + b), db -= g, dw -= g*dt.
func timeBackward(m *machine) {
	dw, db, dout, w, b := m.data("dw"), m.data("db"), m.data("dout"), m.data("w"), m.data("b")
	n, dt := m.size("dw"), m.scalar("dt")
	m.span(n, func(l lanes) {
		g := m.mul(m.sin(m.add(m.mul(l.load(w), dt), l.load(b))), l.load(dout))
		l.store(db, m.sub(l.load(db), g))
		sum := l.load(dw)
		m.subMul(sum, g, dt)
		l.store(dw, sum)
	})
}

// gruRow runs body over the units of one row. Arrays of three blocks (r, z,
// n) are read at the three indices.
func (m *machine) gruRow(units string, body func(r, z, n lanes)) {
	size := m.size(units)
	z, n := m.GP64(), m.GP64()
	m.MOVQ(size, z)
	m.LEAQ(operand.Mem{Base: size, Index: size, Scale: 1}, n)
	m.span(size, func(l lanes) { body(l, l.at(z), l.at(n)) }, reg.Register(z), reg.Register(n))
}

func gruForward(m *machine) {
	h, gates, gi, gh, q := m.data("h"), m.data("gates"), m.data("gi"), m.data("gh"), m.data("q")
	e, limit := m.exponential(), m.set(m.c(tanhLimit))
	m.gruRow("h", func(atR, atZ, atN lanes) {
		r := e.sigmoid(m.add(atR.load(gi), atR.load(gh)))
		atR.store(gates, r)
		n := m.tanh(m.fma(r, atN.load(gh), atN.load(gi)), limit)
		atN.store(gates, n)
		z := e.sigmoid(m.add(atZ.load(gi), atZ.load(gh)))
		atZ.store(gates, z)
		atR.store(h, m.fma(z, m.sub(atR.load(q), n), n))
	})
}

func gruBackward(m *machine) {
	dgi, dgh, dq, dh := m.data("dgi"), m.data("dgh"), m.data("dq"), m.data("dh")
	gates, gh, q := m.data("gates"), m.data("gh"), m.data("q")
	one := m.set(m.c(1))
	m.gruRow("dh", func(atR, atZ, atN lanes) {
		d, r, z, n := atR.load(dh), atR.load(gates), atZ.load(gates), atN.load(gates)
		atR.store(dq, m.mul(d, z))

		slopeN := m.copy(one)
		m.subMul(slopeN, n, n)
		dn := m.mul(m.mul(d, m.sub(one, z)), slopeN)
		atN.store(dgi, dn)
		atN.store(dgh, m.mul(dn, r))

		dz := m.mul(m.mul(d, m.sub(atR.load(q), n)), m.mul(z, m.sub(one, z)))
		atZ.store(dgi, dz)
		atZ.store(dgh, dz)

		dr := m.mul(m.mul(dn, atN.load(gh)), m.mul(r, m.sub(one, r)))
		atR.store(dgi, dr)
		atR.store(dgh, dr)
	})
}
