package figure

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"gonum.org/v1/plot"
)

func (a Axis) logarithmic() bool { return a.Scale == Log || a.Scale == Times }

// Share returns where a value lies: 0 at one end of the axis, 1 at the other.
func (a Axis) Share(v float64) float64 {
	switch {
	case a.Max <= a.Min:
		return .5
	case a.logarithmic():
		return math.Log(v/a.Min) / math.Log(a.Max/a.Min)
	}
	return (v - a.Min) / (a.Max - a.Min)
}

// ticks returns the values of the axis; some have a label.
func (a Axis) ticks() (ticks []plot.Tick) {
	switch {
	case a.Names != nil:
		for i, name := range a.Names {
			ticks = append(ticks, plot.Tick{Value: float64(i), Label: name})
		}
	case a.logarithmic():
		return a.logTicks()
	case a.Max <= a.Min:
		return []plot.Tick{{Value: a.Min, Label: digits(a.Min)}}
	case a.Scale == Whole:
		return a.wholeTicks()
	default:
		beyond := func(t plot.Tick) bool { return t.Value < a.Min || t.Value > a.Max }
		return slices.DeleteFunc(plot.DefaultTicks{}.Ticks(a.Min, a.Max), beyond)
	}
	return ticks
}

// wholeTicks returns the first value, and up to five multiples of 1, 2 or 5
// times a power of ten.
func (a Axis) wholeTicks() []plot.Tick {
	const limit = 5
	step := 1.0
	for power := 1.0; (a.Max-a.Min)/step > limit; power *= 10 {
		for _, digit := range []float64{1, 2, 5} {
			if step = digit * power; (a.Max-a.Min)/step <= limit {
				break
			}
		}
	}
	out := []plot.Tick{{Value: a.Min, Label: digits(a.Min)}}
	for v := step; v <= a.Max; v += step {
		if v-a.Min >= step/2 {
			out = append(out, plot.Tick{Value: v, Label: digits(v)})
		}
	}
	return out
}

// logTicks returns ticks at all digits of every power of ten. 1, 2 and 5 have a
// label, or 1 alone where these are many.
func (a Axis) logTicks() (ticks []plot.Tick) {
	limit := 12
	if a.Scale == Times {
		limit = 5 // times are longer than numbers
	}
	for _, named := range [][]float64{{1, 2, 5}, {1}} {
		labelled := 0
		ticks = nil
		for power := math.Floor(math.Log10(a.Min)); math.Pow(10, power) <= a.Max; power++ {
			for digit := 1.0; digit < 10; digit++ {
				t := plot.Tick{Value: digit * math.Pow(10, power)}
				if t.Value < a.Min || t.Value > a.Max {
					continue
				}
				if slices.Contains(named, digit) {
					t.Label = a.label(digit, power)
					labelled++
				}
				ticks = append(ticks, t)
			}
		}
		if labelled <= limit {
			break
		}
	}
	return ticks
}

// label returns a number of one digit: 0.05, 200, 1e4, 2ms.
func (a Axis) label(digit, power float64) string {
	switch {
	case a.Scale == Times:
		return Duration(digit * math.Pow(10, power))
	case power < -3 || power > 3:
		return fmt.Sprintf("%.0fe%.0f", digit, power)
	}
	return strconv.FormatFloat(digit*math.Pow(10, power), 'f', int(max(0, -power)), 64)
}

func digits(v float64) string { return fmt.Sprintf("%.4g", v) }

// Duration formats nanoseconds with three digits.
func Duration(ns float64) string {
	if ns >= 1 {
		step := math.Pow(10, math.Floor(math.Log10(ns))-2)
		ns = math.Round(ns/step) * step
	}
	return time.Duration(math.Round(ns)).String()
}
