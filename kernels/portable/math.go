package portable

import "math"

// Exp is dst = e^x.
func Exp[T Float](dst, x []T) { each(dst, x, exp) }

// Tanh is dst = tanh(x).
func Tanh[T Float](dst, x []T) { each(dst, x, tanh) }

// Sigmoid is dst = 1/(1 + e^-x).
func Sigmoid[T Float](dst, x []T) { each(dst, x, sigmoid) }

// Softplus is dst = log(1 + e^x).
func Softplus[T Float](dst, x []T) { each(dst, x, softplus) }

// Cos is dst = cos(x).
func Cos[T Float](dst, x []T) { each(dst, x, cos) }

// Sin is dst = sin(x).
func Sin[T Float](dst, x []T) { each(dst, x, sin) }

func each[T Float](dst, x []T, f func(T) T) {
	for i, v := range x {
		dst[i] = f(v)
	}
}

// The scalar functions: in float32 the polynomials of the vector kernels, in
// float64 those of package math.

func exp[T Float](x T) T {
	if v, ok := any(x).(float32); ok {
		return T(exp32(v))
	}
	return T(math.Exp(float64(x)))
}

func tanh[T Float](x T) T {
	if v, ok := any(x).(float32); ok {
		return T(tanh32(v))
	}
	return T(math.Tanh(float64(x)))
}

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

func softplus[T Float](x T) T { return log1pExp(x) + max(x, 0) }

// log1pExp is log(1 + e^-|x|).
func log1pExp[T Float](x T) T {
	z := exp(-abs(x))
	if v, ok := any(z).(float32); ok {
		return T(log1p32(v))
	}
	return T(math.Log1p(float64(z)))
}

func cos[T Float](x T) T {
	if v, ok := any(x).(float32); ok {
		return T(quadrant32(v, 0))
	}
	return T(math.Cos(float64(x)))
}

func sin[T Float](x T) T {
	if v, ok := any(x).(float32); ok {
		return T(quadrant32(v, 3))
	}
	return T(math.Sin(float64(x)))
}

func abs[T Float](x T) T { return T(math.Abs(float64(x))) }

func sqrt[T Float](x T) T { return T(math.Sqrt(float64(x))) }

// fma is a*b + c. In float32 the product is exact and the sum goes through
// float64, which differs from a fused multiply-add only where that rounds to
// the middle between two float32s, about once in 2^29.
func fma[T Float](a, b, c T) T { return T(float64(a)*float64(b) + float64(c)) }

func copysign[T Float](size, sign T) T { return T(math.Copysign(float64(size), float64(sign))) }
