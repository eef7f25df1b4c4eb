package main

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
func (e exponential) of(x V) V { return e.ofNegative(e.min(e.top, x)) }

// ofNegative is e^x for x <= 0.
func (e exponential) ofNegative(x V) V {
	p, n, shifted := e.expParts(e.max(e.bottom, x))
	return e.scale(p, n, shifted)
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

// softplus is log(1 + e^x) = max(x, 0) + log1p(e^-|x|).
func (e exponential) softplus(x V) V {
	return e.add(e.log1pExp(x), e.max(e.zero(), x))
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
