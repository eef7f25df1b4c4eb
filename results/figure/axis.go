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
		return a.linearTicks()
	}
	return ticks
}

// wholeTicks returns the first whole number, and up to six multiples of 1, 2 or 5
// times a power of ten.
func (a Axis) wholeTicks() []plot.Tick {
	first, step := math.Ceil(a.Min), max(1, a.step())
	out := []plot.Tick{{Value: first, Label: digits(first)}}
	for v := step; v <= a.Max; v += step {
		if v-first >= step/2 {
			out = append(out, plot.Tick{Value: v, Label: digits(v)})
		}
	}
	return out
}

// step is the smallest of 1, 2 or 5 times a power of ten that the axis has at most
// six of.
func (a Axis) step() float64 {
	const limit = 6
	for power := math.Pow(10, math.Floor(math.Log10((a.Max-a.Min)/limit))); ; power *= 10 {
		for _, digit := range []float64{1, 2, 5} {
			if step := digit * power; (a.Max-a.Min)/step <= limit*(1+1e-9) {
				return step
			}
		}
	}
}

// linearTicks returns the multiples of the step, with as many decimals as it has.
func (a Axis) linearTicks() (out []plot.Tick) {
	const huge = 1e6
	step := a.step()
	decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	for n := math.Ceil(a.Min/step - 1e-9); n*step <= a.Max+1e-9*step; n++ {
		t := plot.Tick{Value: n * step, Label: strconv.FormatFloat(n*step+0, 'f', decimals, 64)}
		if math.Abs(t.Value) >= huge || decimals > 6 {
			t.Label = digits(t.Value)
		}
		out = append(out, t)
	}
	return out
}

// logTicks returns ticks at all digits of every power of ten. 1, 2 and 5 have a
// label, or 1 alone where these are many; an axis with hardly any of them has
// the ticks of a linear one.
func (a Axis) logTicks() []plot.Tick {
	limit := 12
	if a.Scale == Times {
		limit = 5 // times are longer than numbers
	}
	ticks, labelled := a.digitTicks(1, 2, 5)
	if labelled > limit {
		ticks, _ = a.digitTicks(1)
	}
	if labelled > 1 {
		return ticks
	}
	ticks = a.linearTicks()
	for i, t := range ticks {
		if t.Label != "" && a.Scale == Times {
			ticks[i].Label = Duration(t.Value)
		}
	}
	return a.inside(ticks)
}

// inside returns the ticks that are on the axis.
func (a Axis) inside(ticks []plot.Tick) []plot.Tick {
	return slices.DeleteFunc(ticks, func(t plot.Tick) bool { return t.Value < a.Min || t.Value > a.Max })
}

// digitTicks returns ticks at all digits of every power of ten, and how many have
// a label: those at the digits named.
func (a Axis) digitTicks(named ...float64) (ticks []plot.Tick, labelled int) {
	for power := math.Floor(math.Log10(a.Min)); math.Pow(10, power) <= a.Max; power++ {
		for digit := 1.0; digit < 10; digit++ {
			t := plot.Tick{Value: digit * math.Pow(10, power)}
			if slices.Contains(named, digit) {
				t.Label = a.label(digit, power)
			}
			ticks = append(ticks, t)
		}
	}
	ticks = a.inside(ticks)
	for _, t := range ticks {
		if t.Label != "" {
			labelled++
		}
	}
	return ticks, labelled
}

// label returns a number of one digit: 0.05, 200, 1e4, 2ms.
func (a Axis) label(digit, power float64) string {
	switch {
	case a.Scale == Times:
		return Duration(digit * math.Pow(10, power))
	case power < -4 || power > 3:
		return fmt.Sprintf("%.0fe%.0f", digit, power)
	}
	return strconv.FormatFloat(digit*math.Pow(10, power), 'f', int(max(0, -power)), 64)
}

func digits(v float64) string { return fmt.Sprintf("%.4g", v+0) } // -0 is 0

// Duration formats nanoseconds with three digits.
func Duration(ns float64) string {
	if ns >= 1 {
		step := math.Pow(10, math.Floor(math.Log10(ns))-2)
		ns = math.Round(ns/step) * step
	}
	return time.Duration(math.Round(ns)).String()
}
