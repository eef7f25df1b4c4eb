package portable

import "math"

// each returns the kernel dst = f(x) of a scalar function.
func each[T Float](f func(T) T) func(dst, x []T) {
	return func(dst, x []T) {
		for i, v := range x {
			dst[i] = f(v)
		}
	}
}

// either is a function of x in float32 or in float64: with the polynomials of
// the vector kernels, or of package math.
func either[T Float](x T, single func(float32) float32, double func(float64) float64) T {
	if v, ok := any(x).(float32); ok {
		return T(single(v))
	}
	return T(double(float64(x)))
}

func exp[T Float](x T) T  { return either(x, exp32, math.Exp) }
func tanh[T Float](x T) T { return either(x, tanh32, math.Tanh) }
func cos[T Float](x T) T  { return either(x, cos32, math.Cos) }
func sin[T Float](x T) T  { return either(x, sin32, math.Sin) }

// log1pExp is log(1 + e^-|x|).
func log1pExp[T Float](x T) T { return either(exp(-abs(x)), log1p32, math.Log1p) }

// sigmoid is 1 - q for x >= 0 and z - z*q below, with z = e^-|x| and
// q = z/(1 + z): the errors of q count for little in either.
func sigmoid[T Float](x T) T {
	z := exp(-abs(x))
	q := z / (z + 1)
	if x < 0 {
		return fma(-z, q, z)
	}
	return 1 - q
}

func abs[T Float](x T) T { return T(math.Abs(float64(x))) }

func sqrt[T Float](x T) T { return T(math.Sqrt(float64(x))) }

// fma is a*b + c. In float32 the product is exact and the sum goes through
// float64, which differs from a fused multiply-add only where that rounds to
// the middle between two float32s, about once in 2^29.
func fma[T Float](a, b, c T) T { return T(float64(a)*float64(b) + float64(c)) }

func copysign[T Float](size, sign T) T { return T(math.Copysign(float64(size), float64(sign))) }

// The float32 functions below do, lane for lane, what the vector kernels of
// package cpu do. Their errors stay under 2 units in the last place.

// exp32 is e^x = p * 2^n with n the integer next to x/ln 2, and a polynomial
// p of the rest.
func exp32(x float32) float32 {
	switch {
	case x > 89: // beyond the largest float32
		return float32(math.Inf(1))
	case x < -104: // below half of the smallest one
		return 0
	}
	p, n := expParts(x)
	half := n >> 1
	return p * powerOfTwo(half) * powerOfTwo(n-half)
}

func expParts(x float32) (p float32, n int32) {
	const (
		shifter = 12582912 // 1.5 * 2^23: adding it rounds to integers
		log2E   = 1.44269504088896341
		ln2High = 0.693147182464599609375
		ln2Low  = -1.904654323148236e-09
	)
	shifted := fma(x, log2E, shifter)
	whole := shifted - shifter
	r := fma(-whole, ln2High, x)
	r = fma(-whole, ln2Low, r)
	tail := float32(1.9875691500e-4)
	tail = fma(tail, r, 1.3981999507e-3)
	tail = fma(tail, r, 8.3334519073e-3)
	tail = fma(tail, r, 4.1665795894e-2)
	tail = fma(tail, r, 1.6666665459e-1)
	tail = fma(tail, r, 5.0000001201e-1)
	return fma(r*r, tail, r) + 1, int32(math.Float32bits(shifted) - math.Float32bits(shifter))
}

// powerOfTwo is 2^n of a normal number.
func powerOfTwo(n int32) float32 { return math.Float32frombits(uint32(n+127) << 23) }

// tanh32 is x + x^3 P(x^2) near zero, and 1 - 2/(e^2x + 1) elsewhere.
func tanh32(x float32) float32 {
	a := min(abs(x), 10) // tanh(10) is 1
	var size float32
	if a < 0.625 {
		square := a * a
		p := float32(0.0022927450481802225)
		p = fma(p, square, -0.008343945257365704)
		p = fma(p, square, 0.02176891826093197)
		p = fma(p, square, -0.053959257900714874)
		p = fma(p, square, 0.13333304226398468)
		p = fma(p, square, -0.3333333432674408)
		size = fma(square*a, p, a)
	} else {
		p, n := expParts(a + a)
		size = 1 - 2/(p*powerOfTwo(n)+1)
	}
	return copysign(size, x)
}

// log1p32 is log(1 + z) for 0 <= z <= 1. With s = z/(z + 2) it is
// 2 atanh(s) = z - s*(z - 2 s^2 P(s^2)), in which z is the largest term.
func log1p32(z float32) float32 {
	s := z / (z + 2)
	square := s * s
	p := float32(0.11612164974212646)
	p = fma(p, square, 0.1085328757762909)
	p = fma(p, square, 0.142961785197258)
	p = fma(p, square, 0.19999852776527405)
	p = fma(p, square, 0.3333333432674408)
	rest := fma(-(square + square), p, z)
	return fma(-s, rest, z)
}

// trigLimit is the size up to which the reduction below is exact enough.
const trigLimit = 1 << 50

func cos32(x float32) float32 { return quadrant32(x, 0) }
func sin32(x float32) float32 { return quadrant32(x, 3) }

// quadrant32 is cos(x + turns*pi/2), with x = k*pi/2 + r taken apart in
// float64: x - k*high is exact, being a multiple of 2^-52 below 1.
func quadrant32(x float32, turns int64) float32 {
	if !(abs(x) <= trigLimit) {
		return quadrantFar(x, turns)
	}
	const (
		twoOverPi = 0.63661977236758134308
		high      = 1.570796326794896557998981734272
		low       = 6.123233995736766035868820147292e-17
		shifter   = 6755399441055744 // 1.5 * 2^52
	)
	k := math.FMA(float64(x), twoOverPi, shifter) - shifter
	r := float32(math.FMA(-k, low, math.FMA(-k, high, float64(x))))
	quarter := int64(k) + turns
	var size float32
	if quarter&1 != 0 {
		size = sinQuarter(r)
	} else {
		size = cosQuarter(r)
	}
	if (quarter+1)&2 != 0 {
		return -size
	}
	return size
}

// sinQuarter is sin(r) = r + r^3 P(r^2) for |r| <= pi/4.
func sinQuarter(r float32) float32 {
	square := r * r
	p := float32(-1.9515295891e-4)
	p = fma(p, square, 8.3321608736e-3)
	p = fma(p, square, -1.6666654611e-1)
	return fma(square*r, p, r)
}

// cosQuarter is cos(r) = 1 - r^2/2 + r^4 P(r^2) for |r| <= pi/4.
func cosQuarter(r float32) float32 {
	square := r * r
	p := float32(2.443315711809948e-5)
	p = fma(p, square, -1.388731625493765e-3)
	p = fma(p, square, 4.166664568298827e-2)
	return fma(square*square, p, fma(square, -0.5, 1))
}

// quadrantFar is quadrant32 for arguments of any size; NaN for infinities.
func quadrantFar(x float32, turns int64) float32 {
	if turns == 0 {
		return float32(math.Cos(float64(x)))
	}
	return float32(math.Sin(float64(x)))
}

// BFloat16 rounds x to the nearest bfloat16, to the even one of two; NaN
// stays NaN. A bfloat16 is the upper half of a float32.
func BFloat16(x float32) uint16 {
	bits := math.Float32bits(x)
	if x != x {
		return uint16(bits>>16) | 0x40 // the carry could make it infinite
	}
	return uint16((bits + 0x7fff + bits>>16&1) >> 16)
}

// FromBFloat16 is exact.
func FromBFloat16(x uint16) float32 { return math.Float32frombits(uint32(x) << 16) }
