package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// V is a register of float32 lanes.
type V = reg.VecVirtual

// The operations below give a fresh register. The last operand may be in
// memory.

func (m *machine) into(op func(...operand.Op), a V, b operand.Op) V {
	d := m.vec()
	op(b, a, d)
	return d
}

func (m *machine) add(a V, b operand.Op) V { return m.into(m.VADDPS, a, b) }
func (m *machine) sub(a V, b operand.Op) V { return m.into(m.VSUBPS, a, b) }
func (m *machine) mul(a V, b operand.Op) V { return m.into(m.VMULPS, a, b) }
func (m *machine) div(a V, b operand.Op) V { return m.into(m.VDIVPS, a, b) }
func (m *machine) and(a V, b operand.Op) V { return m.into(m.VANDPS, a, b) }
func (m *machine) or(a V, b operand.Op) V  { return m.into(m.VORPS, a, b) }
func (m *machine) xor(a V, b operand.Op) V { return m.into(m.VXORPS, a, b) }

// min and max give x where x is NaN, and where both are zero.
func (m *machine) min(limit V, x operand.Op) V { return m.into(m.VMINPS, limit, x) }
func (m *machine) max(limit V, x operand.Op) V { return m.into(m.VMAXPS, limit, x) }

// addInt and subInt work on lanes of 32-bit integers.
func (m *machine) addInt(a V, b operand.Op) V { return m.into(m.VPADDD, a, b) }
func (m *machine) subInt(a V, b operand.Op) V { return m.into(m.VPSUBD, a, b) }

func (m *machine) shiftLeft(a V, n int) V  { return m.into(m.VPSLLD, a, operand.U8(n)) }
func (m *machine) shiftRight(a V, n int) V { return m.into(m.VPSRAD, a, operand.U8(n)) }

func (m *machine) sqrt(a V) V { return m.fresh(m.VSQRTPS, a) }
func (m *machine) copy(a V) V { return m.fresh(m.VMOVAPS, a) }

func (m *machine) abs(a V) V      { return m.and(a, m.bits(0x7fffffff)) }
func (m *machine) negative(a V) V { return m.or(a, m.bits(0x80000000)) } // -|a|

// fma is a*b + c, rounded once.
func (m *machine) fma(a V, b operand.Op, c V) V {
	d := m.copy(c)
	m.addMul(d, a, b)
	return d
}

// addMul and subMul add a*b to d and take it away, rounded once.
func (m *machine) addMul(d, a V, b operand.Op) { m.VFMADD231PS(b, a, d) }
func (m *machine) subMul(d, a V, b operand.Op) { m.VFNMADD231PS(b, a, d) }

// horner evaluates the polynomial with these coefficients, the highest power
// first, by one fused multiply-add a coefficient.
func (m *machine) horner(x V, coefficients ...float64) V {
	p := m.set(m.c(coefficients[0]))
	for _, c := range coefficients[1:] {
		m.VFMADD213PS(m.c(c), x, p)
	}
	return p
}

// A condition has one truth value a lane: an opmask with AVX-512, the sign
// bits of a register with AVX2.
type condition reg.Register

// Predicates of VCMPPS; all but unordered, which tells NaN, are false where an
// operand is NaN.
const (
	equalTo     = operand.U8(0x00)
	unordered   = operand.U8(0x03)
	lessThan    = operand.U8(0x11)
	atLeast     = operand.U8(0x1d)
	greaterThan = operand.U8(0x1e)
)

func (m *machine) compare(predicate operand.U8, a V, b operand.Op) condition {
	if m.wide() {
		k := m.K()
		m.VCMPPS(predicate, b, a, k)
		return k
	}
	d := m.vec()
	m.VCMPPS(predicate, b, a, d)
	return d
}

// sign is true where the highest bit is set.
func (m *machine) sign(a V) condition {
	if m.wide() {
		k := m.K()
		m.VPMOVD2M(a, k)
		return k
	}
	return a
}

// choose takes yes where the condition is true.
func (m *machine) choose(c condition, yes operand.Op, no V) V {
	d := m.vec()
	if m.wide() {
		m.VBLENDMPS(yes, no, c, d)
	} else {
		m.VBLENDVPS(c, yes, no, d)
	}
	return d
}
