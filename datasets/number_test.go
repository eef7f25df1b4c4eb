package datasets

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// parseFloat32 gives strconv's bits.
func sameAsStrconv(t failer, text string) {
	t.Helper()
	want, err := strconv.ParseFloat(text, 32)
	got, ok := parseFloat32([]byte(text))
	if ok != (err == nil) || math.Float32bits(got) != math.Float32bits(float32(want)) && ok {
		t.Fatalf("%q: %v (%x), %t; strconv has %v (%x), %v", text,
			got, math.Float32bits(got), ok, want, math.Float32bits(float32(want)), err)
	}
}

func TestParseFloat32ByHand(t *testing.T) {
	for _, text := range []string{
		"", "-", "+", ".", "-.", "0", "-0", "00", "0.", ".0", "-0.0", "+1", "1", "-1.5", "1.", ".5", "00.5", "1..2", "1.2.3", "1-2",
		"1e3", "1e39", "1e-50", "12345678", "123456789", "1234567.8", "12345678.12345678", "0.12345678901234567", "99999999.99999999",
		"9999999999999999999", "18446744073709551615", "18446744073709551616", "99999999999999999999.5", "0.0000000000000000001",
		"0.00000000000000000001", "16777217", "16777217.000000001", "16777216.99999999999", "8388608.5", "8388609.5", "1234567/", "1234567:",
		"/2345678", ":2345678", "1 2345678", "12345678x", "abc",
	} {
		sameAsStrconv(t, text)
	}
}

// What strconv reads or may come to read, but no decimal number is.
func TestParseFloatRefuses(t *testing.T) {
	for _, text := range []string{"1_000", "0_1", "1_0.5", "0x_1p4", "0x1p4", "-0x1p4", "inf", "nan"} {
		if x, ok := parseFloat32([]byte(text)); ok {
			t.Errorf("%q is the float32 %v", text, x)
		}
		if x, ok := parseFloat64([]byte(text)); ok {
			t.Errorf("%q is the float64 %v", text, x)
		}
	}
}

func TestParseFloat32IsStrconv(t *testing.T) {
	decimal := rapid.StringMatching(`-?[0-9]{0,12}\.?[0-9]{0,20}`)
	rapid.Check(t, func(t *rapid.T) { sameAsStrconv(t, decimal.Draw(t, "decimal")) })
}

// Numbers at and next to the middle between two float32 are the hard ones.
func TestParseFloat32InTheMiddle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float32Range(1e-3, 1e12).Draw(t, "x")
		middle := (float64(x) + float64(math.Nextafter32(x, math.MaxFloat32))) / 2
		for range rapid.IntRange(0, 6).Draw(t, "steps") {
			middle = math.Nextafter(middle, rapid.SampledFrom([]float64{0, math.MaxFloat64}).Draw(t, "towards"))
		}
		for digits := range 20 {
			sameAsStrconv(t, strconv.FormatFloat(middle, 'f', digits, 64))
		}
	})
}

// FuzzNumber: a number is a decimal one that strconv reads as the same, and a
// time is within its limits.
func FuzzNumber(f *testing.F) {
	for _, text := range []string{"-123.456", "1e308", "4e292", "-0", "0x1p4", "1_000", "+.5e-3", "16777217", "1e19", "9223372036854775807", "Infinity", "nan", "1e-400"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		want, err := strconv.ParseFloat(string(text), 32)
		decimal := err == nil && strings.Trim(string(text), "0123456789.eE+-") == ""
		if x, ok := parseFloat32(text); ok != decimal || ok && math.Float32bits(x) != math.Float32bits(float32(want)) {
			t.Errorf("%q: %v, %t, strconv has %v, %v", text, x, ok, want, err)
		}
		if x, ok := parseTime(text); ok && !(math.Abs(x) <= largestTime) {
			t.Errorf("%q is the time %v", text, x)
		}
	})
}
