package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// widen loads numbers of a Jacobian as float32: a bfloat16 is its upper half.
func (m *machine) widen(from operand.Mem, to reg.VecVirtual) {
	if !m.half {
		m.VMOVUPS(from, to)
		return
	}
	m.VPMOVZXWD(from, to)
	m.VPSLLD(operand.U8(16), to, to)
}

// rounding holds the constants of the rounding to bfloat16.
type rounding struct {
	*machine
	one, below, quiet reg.VecVirtual // 1, 0x7fff, and the bit of a quiet NaN
}

func (m *machine) rounding() rounding {
	if !m.half {
		return rounding{machine: m}
	}
	return rounding{m, m.constant(1), m.constant(0x7fff), m.constant(0x40)}
}

// constant has these bits in every lane.
func (m *machine) constant(bits uint32) reg.VecVirtual {
	number, low, all := m.GP32(), m.XMM(), m.vector()
	m.MOVL(operand.U32(bits), number)
	m.VMOVD(number, low)
	m.VPBROADCASTD(low, all)
	return all
}

// store writes numbers of a Jacobian. As bfloat16 they are rounded to the
// nearest, to the even one of two: the lower half of the bits carries into
// the upper one if it is above 0x8000, or equal to it and the upper one odd.
func (r rounding) store(x reg.VecVirtual, to operand.Mem) {
	if !r.half {
		r.VMOVUPS(x, to)
		return
	}
	upper, result := r.vector(), r.vector()
	r.VPSRLD(operand.U8(16), x, upper)
	if r.register == 16 {
		r.VPANDD(r.one, upper, result)
	} else {
		r.VPAND(r.one, upper, result)
	}
	r.VPADDD(x, result, result)
	r.VPADDD(r.below, result, result)
	r.VPSRLD(operand.U8(16), result, result)
	r.keepNaN(x, upper, result)
	r.narrow(result, to)
}

// unordered is true where an operand is NaN.
const unordered = operand.U8(0x03)

// keepNaN puts the upper half of x, made quiet, where x is NaN, which the
// carry could have made infinite.
func (r rounding) keepNaN(x, upper, result reg.VecVirtual) {
	if r.register == 16 {
		nan := r.K()
		r.VCMPPS(unordered, x, x, nan)
		r.VPORD(r.quiet, upper, nan, result)
		return
	}
	nan := r.vector()
	r.VCMPPS(unordered, x, x, nan)
	r.VPOR(r.quiet, upper, upper)
	r.VPBLENDVB(nan, upper, result, result)
}

// narrow stores the lower half of each number.
func (r rounding) narrow(x reg.VecVirtual, to operand.Mem) {
	switch r.register {
	case 16:
		r.VPMOVDW(x, to)
	case 8:
		high := r.XMM()
		r.VEXTRACTI128(operand.U8(1), x, high)
		r.VPACKUSDW(high, x.AsX(), high)
		r.VMOVDQU(high, to)
	default:
		r.VPACKUSDW(x, x, x)
		r.VMOVQ(x, to)
	}
}
