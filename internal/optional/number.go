// Package optional has numbers that may be absent, such as a deviation of one
// value.
package optional

import (
	"encoding/json"
	"math"
	"strconv"
)

// Number is a float64 that may be absent: NaN and the infinities are null in
// JSON and empty in CSV, and null reads back as NaN.
type Number float64

// Absent returns an absent number.
func Absent() Number { return Number(math.NaN()) }

// Present reports whether the number is finite.
func (n Number) Present() bool {
	return !math.IsNaN(float64(n)) && !math.IsInf(float64(n), 0)
}

// MarshalJSON writes the shortest text that reads back as the same number.
func (n Number) MarshalJSON() ([]byte, error) {
	if !n.Present() {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// UnmarshalJSON reads a number or null.
func (n *Number) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*n = Absent()
		return nil
	}
	return json.Unmarshal(data, (*float64)(n))
}

// CSV returns the number with ten significant digits.
func (n Number) CSV() string {
	if !n.Present() {
		return ""
	}
	return strconv.FormatFloat(float64(n), 'g', 10, 64)
}
