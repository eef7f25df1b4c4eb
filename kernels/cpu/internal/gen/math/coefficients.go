package main

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

// trigLimit is the size up to which the reduction of sin and cos is exact.
const trigLimit = 1 << 50
