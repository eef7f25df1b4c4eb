package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var recurrent = []kernel{
	{"gruForward", "func(h, gates, gi, gh, q []float32)", gruForward},
	{"gruBackward", "func(dgi, dgh, dq, dh, gates, gh, q []float32)", gruBackward},
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
