package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// cos and sin take x apart as k*pi/2 + r with |r| <= pi/4, in float64, where
// x - k*halfPiHigh is exact: it is a multiple of 2^-52 below 1. The quadrant
// k then chooses between the two polynomials, which are float32.
func (m *machine) cos(x V) V { return m.quadrant(x, 0) }
func (m *machine) sin(x V) V { return m.quadrant(x, 3) }

// quadrant is cos(x + turns*pi/2).
func (m *machine) quadrant(x V, turns uint32) V {
	r, k := m.reduce(x)
	if turns != 0 {
		k = m.addInt(k, m.bits(turns))
	}
	square := m.mul(r, r)
	sin := m.fma(m.mul(square, r), m.horner(square, sinCoefficients...), r)
	cos := m.fma(square, m.c(-0.5), m.set(m.c(1)))
	m.addMul(cos, m.mul(square, square), m.horner(square, cosCoefficients...))

	odd := m.sign(m.shiftLeft(k, 31))
	size := m.choose(odd, sin, cos)
	negative := m.shiftLeft(m.addInt(k, m.bits(1)), 30)
	return m.xor(size, m.and(negative, m.bits(0x80000000)))
}

// reduce gives r as float32 and k as 32-bit integers, modulo 2^32.
func (m *machine) reduce(x V) (r, k V) {
	low, lowK := m.reduceHalf(m.lowHalf(x))
	high, highK := m.reduceHalf(m.highHalf(x))
	return m.join(low, high), m.join(lowK, highK)
}

// reduceHalf does half of the lanes; its results fill half a register.
func (m *machine) reduceHalf(half V) (r, k V) {
	x, n, shifted := m.vec(), m.vec(), m.vec()
	m.VCVTPS2PD(half, x)
	m.VMOVUPS(m.c64(shifter64), shifted)
	m.VFMADD231PD(m.c64(twoOverPi), x, shifted)
	m.VSUBPD(m.c64(shifter64), shifted, n)
	m.VFNMADD231PD(m.c64(halfPiHigh), n, x)
	m.VFNMADD231PD(m.c64(halfPiLow), n, x)
	if m.wide() {
		r, k = m.YMM(), m.YMM()
		m.VCVTPD2PS(x, r)
		m.VPMOVQD(shifted, k)
		return r, k
	}
	r, k = m.XMM(), m.XMM()
	m.VCVTPD2PSY(x, r)
	m.VEXTRACTF128(operand.U8(1), shifted, k)
	m.VSHUFPS(operand.U8(0x88), k, shifted.AsX(), k)
	return r, k
}

func (m *machine) lowHalf(x V) V {
	if m.wide() {
		return x.AsY().(V)
	}
	return x.AsX().(V)
}

func (m *machine) highHalf(x V) V {
	if m.wide() {
		y := m.YMM()
		m.VEXTRACTF32X8(operand.U8(1), x, y)
		return y
	}
	y := m.XMM()
	m.VEXTRACTF128(operand.U8(1), x, y)
	return y
}

func (m *machine) join(low, high V) V {
	d := m.vec()
	if m.wide() {
		m.VINSERTF64X4(operand.U8(1), high, low.AsZ(), d)
	} else {
		m.VINSERTF128(operand.U8(1), high, low.AsY(), d)
	}
	return d
}

// trig is a loop of cos or sin, which notes whether an argument lay beyond
// trigLimit.
func trig(of func(m *machine, x V) V) func(m *machine) {
	return func(m *machine) {
		dst, x, n := m.data("dst"), m.data("x"), m.size("x")
		far := m.GP64()
		m.XORQ(far, far)
		m.span(n, func(l lanes) {
			v := l.load(x)
			m.note(far, m.compare(greaterThan, m.abs(v), m.c(trigLimit)))
			l.store(dst, of(m, v))
		})
		m.Store(reg.Register(far), m.ReturnIndex(0))
	}
}
