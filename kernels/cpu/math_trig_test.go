package cpu_test

import (
	"math"
	"math/big"
	"math/bits"
	"sync"
	"testing"

	"dgsbench/kernels/cpu"
)

// The reference for sin and cos of a float32 takes x*2/pi apart with integers:
// 2/pi to 128 bits times the 24 bits of x. math.Cos is not accurate enough
// where it is nearly zero, but it is beyond 2^29, where it does the same.

const (
	twoOverPiHigh = 0xa2f9836e4e441529
	twoOverPiLow  = 0xfc2757d1f534ddc0
)

// quarterTurns gives k and r with |x| = k*pi/2 + r, |r| <= pi/4.
func quarterTurns(x float64) (k uint64, r float64) {
	fraction, exponent := math.Frexp(math.Abs(x))
	mantissa := uint64(math.Ldexp(fraction, 24))
	whole, high := bits.Mul64(mantissa, twoOverPiHigh)
	carryHigh, low := bits.Mul64(mantissa, twoOverPiLow)
	high, carry := bits.Add64(high, carryHigh, 0)
	whole += carry
	if shift := exponent - 24; shift >= 0 {
		whole = whole<<shift | high>>(64-shift)
		high = high<<shift | low>>(64-shift)
		low <<= shift
	} else {
		low = low>>-shift | high<<(64+shift)
		high = high>>-shift | whole<<(64+shift)
		whole >>= -shift
	}
	turn := float64(int64(high)) + math.Ldexp(float64(low), -64)
	return whole + high>>63, math.Ldexp(turn, -64) * (math.Pi / 2)
}

func exactCos(x float64) float64 { return exactTrig(x, 0) }

func exactSin(x float64) float64 { return math.Copysign(1, x) * exactTrig(x, 3) }

// exactTrig is cos(|x| + turns*pi/2).
func exactTrig(x float64, turns uint64) float64 {
	size := math.Abs(x)
	k, r := turns, size
	switch {
	case size >= 1<<29 && turns == 0: // also NaN and infinities
		return math.Cos(size)
	case size >= 1<<29:
		return math.Sin(size)
	case size > .5:
		k, r = quarterTurns(size)
		k += turns
	}
	return [...]float64{math.Cos(r), -math.Sin(r), -math.Cos(r), math.Sin(r)}[k%4]
}

// TestTrigReference compares the reference with a reduction in big numbers.
func TestTrigReference(t *testing.T) {
	for _, x := range append(nearQuarterTurns(), 1, 2, 1e3, 123456, 4e8) {
		k, r := quarterTurns(float64(x))
		product := new(big.Float).SetPrec(400).Mul(big.NewFloat(float64(x)), bigTwoOverPi())
		rest := product.Sub(product, new(big.Float).SetUint64(k))
		want, _ := rest.Float64()
		want *= math.Pi / 2
		if math.Abs(r-want) > 1e-12*math.Abs(want) {
			t.Fatalf("%v: reduced to %v, exactly %v", x, r, want)
		}
	}
}

// bigTwoOverPi is 2/pi to 400 bits, from Machin's formula.
var bigTwoOverPi = sync.OnceValue(func() *big.Float {
	const precision = 400
	arctan := func(n int64) *big.Float { // arctan(1/n)
		sum, power := new(big.Float).SetPrec(precision), new(big.Float).SetPrec(precision).Quo(big.NewFloat(1), big.NewFloat(float64(n)))
		square := new(big.Float).SetPrec(precision).SetInt64(-n * n)
		for i := int64(1); i < precision; i += 2 {
			sum.Add(sum, new(big.Float).SetPrec(precision).Quo(power, big.NewFloat(float64(i))))
			power.Quo(power, square)
		}
		return sum
	}
	a, b := arctan(5), arctan(239) // pi/4 = 4a - b
	a.Mul(a, big.NewFloat(4))
	halfPi := a.Sub(a, b)
	halfPi.Mul(halfPi, big.NewFloat(2))
	return new(big.Float).SetPrec(precision).Quo(big.NewFloat(1), halfPi)
})

// nearQuarterTurns are the float32s up to 1e9 that lie nearest to a multiple
// of pi/2: m*2^exponent, for each exponent, with m a multiple of a
// denominator of the continued fraction of 2/pi*2^exponent.
func nearQuarterTurns() []float32 {
	var out []float32
	for exponent := -24; exponent <= 6; exponent++ {
		theta := new(big.Float).SetMantExp(bigTwoOverPi(), exponent)
		for _, q := range denominators(theta) {
			for m := q; m < min(1<<24, 20*q); m += q {
				if x := math.Ldexp(float64(m), exponent); x > 1 && x <= 1e9 {
					out = append(out, float32(x))
				}
			}
		}
	}
	return out
}

// denominators are those of theta's convergents, and of the fractions
// between them, up to 2^24.
func denominators(theta *big.Float) []uint64 {
	var out []uint64
	previous, q := uint64(1), uint64(0)
	for range 40 {
		whole, _ := theta.Uint64()
		if whole > 1<<24 {
			break
		}
		for i := uint64(1); i <= min(whole, 100) && previous+i*q < 1<<24; i++ {
			if q > 0 {
				out = append(out, previous+i*q)
			}
		}
		previous, q = q, previous+whole*q
		if q >= 1<<24 {
			break
		}
		rest := new(big.Float).Sub(theta, new(big.Float).SetUint64(whole))
		theta = new(big.Float).SetPrec(400).Quo(big.NewFloat(1), rest)
	}
	return out
}

// TestTrigNearMultiples checks sin and cos where the reduction is hardest.
func TestTrigNearMultiples(t *testing.T) {
	x := nearQuarterTurns()
	nearest := 1.0
	for _, v := range x {
		_, r := quarterTurns(float64(v))
		nearest = min(nearest, math.Abs(r))
	}
	t.Logf("%d arguments, the nearest %.3g from a multiple of pi/2", len(x), nearest)
	if nearest > 1e-8 {
		t.Errorf("the nearest argument is %v from a multiple of pi/2: the search is broken", nearest)
	}
	for _, f := range functions[4:] {
		worst, at := map[cpu.Level]float64{}, map[cpu.Level]float32{}
		f.worstOf(x, worst, at)
		report(t, f.name, worst, at)
	}
}

// TestTrigSeconds goes through every 331st float32 up to 1e9 in size: raw
// seconds times a weight.
func TestTrigSeconds(t *testing.T) {
	const step, chunk = 331, 1 << 14
	for _, f := range functions[4:] {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			worst, at := map[cpu.Level]float64{}, map[cpu.Level]float32{}
			x := make([]float32, chunk)
			for lo := uint32(0); lo < math.Float32bits(1e9); lo += chunk * step {
				for i := range x {
					x[i] = math.Float32frombits(min(lo+uint32(i)*step, math.Float32bits(1e9)))
				}
				f.worstOf(x, worst, at)
			}
			report(t, f.name, worst, at)
		})
	}
}
