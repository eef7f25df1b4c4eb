package datasets

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"
)

// parseFloat64 parses a finite decimal number. Unlike strconv, it rejects
// hexadecimal numbers, infinity, NaN and underscores.
func parseFloat64(field []byte) (x float64, ok bool) { return parseFloat(field, 64) }

// largestTime limits times, in any unit. It is beyond every 64-bit integer.
const largestTime = 1e19

// parseTime is parseFloat64 for times.
func parseTime(field []byte) (t float64, ok bool) {
	t, ok = parseFloat64(field)
	return t, ok && math.Abs(t) <= largestTime
}

// parseFloat32 is parseFloat64 for float32: the decimal number is rounded once.
// Features make up most of a file, so their usual form is not parsed by strconv.
func parseFloat32(field []byte) (x float32, ok bool) {
	if x, ok := quickFloat32(field); ok {
		return x, true
	}
	wide, ok := parseFloat(field, 32)
	return float32(wide), ok
}

// ParseFeature parses a field of a column of numbers as files are read. A text that
// stands for a missing number is missing.
func ParseFeature(field string) (x float32, missing, ok bool) {
	x, ok = parseFloat32([]byte(field))
	return x, !ok && isMissing([]byte(field)), ok
}

func parseFloat(field []byte, bits int) (x float64, ok bool) {
	x, err := strconv.ParseFloat(string(field), bits)
	if err != nil || math.IsInf(x, 0) || math.IsNaN(x) || isHex(field) || bytes.IndexByte(field, '_') >= 0 {
		return 0, false
	}
	return x, true
}

// isHex reports whether there is an x as in 0x1p4, -0x1p4.
func isHex(field []byte) bool {
	return len(field) > 2 && (field[1]|' ' == 'x' || field[2]|' ' == 'x')
}

// maxDigits fit a uint64.
const maxDigits = 19

// powersOfTen are exact.
var powersOfTen = [maxDigits + 1]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9,
	1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
}

// quickFloat32 parses numbers such as -123.456: without exponent, and of at most
// 19 digits. Digits and power of ten make a float64 with two roundings, which
// is at most two units in the last place off. Rounded to float32, that is
// exact except close to the middle between two float32. There, and for other
// forms of numbers, ok is false.
func quickFloat32(s []byte) (x float32, ok bool) {
	negative := len(s) > 0 && s[0] == '-'
	if negative {
		s = s[1:]
	}
	if len(s) > 1 && s[0] == '0' {
		s = s[1:] // the digit before most points
	}
	m, whole := appendDigits(0, s)
	fraction := 0
	if rest := s[whole:]; len(rest) > 0 {
		if rest[0] != '.' {
			return 0, false
		}
		m, fraction = appendDigits(m, rest[1:])
		if 1+fraction != len(rest) {
			return 0, false
		}
	}
	if n := whole + fraction; n == 0 || n > maxDigits {
		return 0, false
	}
	wide := float64(m) / powersOfTen[fraction]
	const middle, slack = 1 << 28, 4 // of the 29 bits that float32 lacks
	if low := int64(math.Float64bits(wide) & (1<<29 - 1)); middle-slack <= low && low <= middle+slack {
		return 0, false
	}
	if negative {
		wide = -wide
	}
	return float32(wide), true
}

// appendDigits appends the digits at the start of s to those of m, and
// counts them. More than maxDigits overflow.
func appendDigits(m uint64, s []byte) (_ uint64, n int) {
	for ; len(s)-n >= 8; n += 8 {
		eight, ok := eightDigits(binary.LittleEndian.Uint64(s[n:]))
		if !ok {
			break
		}
		m = m*1e8 + eight
	}
	for ; n < len(s) && s[n]-'0' < 10; n++ {
		m = m*10 + uint64(s[n]-'0')
	}
	return m, n
}

// eightDigits parses eight characters at once: pairs, then fours, then all
// (Lemire, Number parsing at a gigabyte per second, 2021).
func eightDigits(w uint64) (x uint64, ok bool) {
	const high = 0xf0f0f0f0f0f0f0f0
	if w&high|(w+0x0606060606060606)&high>>4 != 0x3333333333333333 {
		return 0, false
	}
	w -= 0x3030303030303030
	w = w*10 + w>>8
	const pair = 0x000000ff000000ff
	return (w&pair*(100+1e6<<32) + w>>16&pair*(1+1e4<<32)) >> 32, true
}
