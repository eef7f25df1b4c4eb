package main

import "github.com/mmcloughlin/avo/operand"

// The constants of the transcendental functions; package portable has the
// same ones.

const (
	log2E   = 1.44269504088896341
	ln2High = 0.693147182464599609375 // float32(ln 2)
	ln2Low  = -1.904654323148236e-09  // ln 2 - ln2High
)

// e^r = 1 + r + r^2 P(r) for |r| <= ln(2)/2 (Cephes expf).
var expCoefficients = []float64{
	1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1,
}

// tanh(x) = x + x^3 P(x^2) for |x| < tanhNear; from tanhLimit on it is 1.
const (
	tanhNear  = 0.625
	tanhLimit = 10
)

var tanhCoefficients = []float64{
	0.0022927450481802225, -0.008343945257365704, 0.02176891826093197, -0.053959257900714874, 0.13333304226398468, -0.3333333432674408,
}

// atanh(s) = s + s^3 P(s^2) for |s| <= 1/3.
var atanhCoefficients = []float64{
	0.11612164974212646, 0.1085328757762909, 0.142961785197258, 0.19999852776527405, 0.3333333432674408,
}

// sin(r) = r + r^3 P(r^2) and cos(r) = 1 - r^2/2 + r^4 Q(r^2) for
// |r| <= pi/4 (Cephes sinf and cosf).
var (
	sinCoefficients = []float64{-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1}
	cosCoefficients = []float64{2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2}
)

// pi/2 = halfPiHigh + halfPiLow to 107 bits.
const (
	twoOverPi  = 0.63661977236758134308
	halfPiHigh = 1.570796326794896557998981734272
	halfPiLow  = 6.123233995736766035868820147292e-17
)

// shifter64, added to a float64 of size below 2^51, leaves the nearest
// integer in its lowest bits.
const shifter64 = 6755399441055744 // 1.5 * 2^52

// The range of exp: above it every float32 result is infinite, below it zero.
const (
	expTop    = 89
	expBottom = -104
)

// shifter, added to a float32 of size below 2^22, leaves the nearest integer
// in its lowest bits.
const (
	shifter     = 12582912 // 1.5 * 2^23
	shifterBits = 0x4b400000
)

// exponential holds what exp keeps in registers across a loop.
type exponential struct {
	*machine
	top, bottom V
}

func (m *machine) exponential() exponential {
	return exponential{m, m.set(m.c(expTop)), m.set(m.c(expBottom))}
}

// of is e^x.
func (e exponential) of(x V) V {
	return e.scale(e.expParts(e.max(e.bottom, e.min(e.top, x))))
}

// ofNegative is e^x for x <= 0. AVX2 scales in two steps. 2^(n+24) is normal down to the
// lowest n, -150, so the first step rounds only where the result is zero.
func (e exponential) ofNegative(x V) V {
	p, n, shifted := e.expParts(e.max(e.bottom, x))
	if e.wide() {
		return e.scale(p, n, shifted)
	}
	return e.mul(e.mul(p, e.addInt(e.shiftLeft(shifted, 23), e.c(0x1p24))), e.c(0x1p-24))
}

// expParts gives p and n with e^x = p * 2^n, and the bits of n + shifter.
func (m *machine) expParts(x V) (p, n, shifted V) {
	shifted = m.set(m.c(shifter))
	m.addMul(shifted, x, m.c(log2E))
	n = m.sub(shifted, m.c(shifter))
	r := m.copy(x)
	m.subMul(r, n, m.c(ln2High))
	m.subMul(r, n, m.c(ln2Low))
	tail := m.fma(m.mul(r, r), m.horner(r, expCoefficients...), r)
	return m.add(tail, m.c(1)), n, shifted
}

// scale is p * 2^n, rounded once: in one instruction, or in two steps of
// which only the second can round.
func (m *machine) scale(p, n, shifted V) V {
	if m.wide() {
		return m.into(m.VSCALEFPS, p, n)
	}
	whole := m.subInt(shifted, m.bits(shifterBits))
	half := m.shiftRight(whole, 1)
	rest := m.subInt(whole, half)
	return m.mul(m.mul(p, m.powerOfTwo(half)), m.powerOfTwo(rest))
}

func (m *machine) powerOfTwo(n V) V {
	return m.shiftLeft(m.addInt(n, m.bits(127)), 23)
}

// tanh is x + x^3 P(x^2) near zero, and 1 - 2/(e^2x + 1) elsewhere.
func (m *machine) tanh(x V, limit V) V {
	a := m.min(limit, m.abs(x))
	p, n, shifted := m.expParts(m.add(a, a))
	one := m.set(m.c(1))
	d := m.add(m.smallScale(p, n, shifted), one)
	far := m.sub(one, m.div(m.set(m.c(2)), d))

	square := m.mul(a, a)
	near := m.fma(m.mul(square, a), m.horner(square, tanhCoefficients...), a)

	size := m.choose(m.compare(lessThan, a, m.c(tanhNear)), near, far)
	return m.or(size, m.and(x, m.bits(0x80000000)))
}

// smallScale is p * 2^n for 2^n that is a normal number.
func (m *machine) smallScale(p, n, shifted V) V {
	if m.wide() {
		return m.into(m.VSCALEFPS, p, n)
	}
	return m.mul(p, m.addInt(m.shiftLeft(shifted, 23), m.c(1)))
}

// sigmoid is 1 - q for x >= 0 and z - z*q below, with z = e^-|x| and
// q = z/(1 + z): the errors of q count for little in either.
func (e exponential) sigmoid(x V) V {
	z := e.ofNegative(e.negative(x))
	one := e.set(e.c(1))
	q := e.div(z, e.add(z, one))
	size := e.choose(e.compare(lessThan, x, e.c(0)), z, one)
	result := e.copy(size)
	e.subMul(result, size, q)
	return result
}

// log1pExp is log(1 + z) with z = e^-|x|. With s = z/(z + 2) it is
// 2 atanh(s) = z - s*(z - 2 s^2 P(s^2)), in which z is the largest term.
func (e exponential) log1pExp(x V) V {
	z := e.ofNegative(e.negative(x))
	s := e.div(z, e.add(z, e.c(2)))
	square := e.mul(s, s)
	rest := e.copy(z)
	e.subMul(rest, e.add(square, square), e.horner(square, atanhCoefficients...))
	e.subMul(z, s, rest)
	return z
}

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
