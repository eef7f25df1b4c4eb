package tpnet

import "math"

// The leading bits of a significand say which of these numbers from 1 to 2 it is at
// or a little above.
const leading = 8

// inverses and logarithms are those of 1 + i/2^leading.
var inverses, logarithms = func() (inverses, logarithms [1 << leading]float32) {
	for i := range inverses {
		c := 1 + float64(i)/(1<<leading)
		inverses[i], logarithms[i] = float32(1/c), float32(math.Log(c))
	}
	return inverses, logarithms
}()

// logOnePlus replaces each x, which is finite, by log(1 + max(x, 0)), to within 2e-7
// or, above 1, a relative 2e-7.
func logOnePlus(x []float32) {
	const significand, bias = 23, 127
	for i, v := range x {
		bits := math.Float32bits(v)
		v = math.Float32frombits(bits &^ uint32(int32(bits)>>31)) // 0 for negative ones, without a branch
		bits = math.Float32bits(1 + v)
		exponent := float32(int32(bits>>significand) - bias)
		m := math.Float32frombits(bits&(1<<significand-1) | bias<<significand) // 1+x is m 2^exponent
		at := bits >> (significand - leading) & (1<<leading - 1)
		rest := m*inverses[at] - 1 // below 2^-leading: log(1+rest) is rest - rest^2/2
		x[i] = exponent*math.Ln2 + (logarithms[at] + rest*(1-rest/2))
	}
}
