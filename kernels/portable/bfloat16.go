package portable

import "math"

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
