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

// spans reports whether the axis has values between its ends that its ticks can tell
// apart.
func (a Axis) spans() bool {
	size, largest := a.Max-a.Min, max(math.Abs(a.Min), math.Abs(a.Max))
	return finite(size) && size > 1e-12*largest && size > 1e-300 && (!a.logarithmic() || a.Min > 0)
}

// has reports whether a value can be on the axis.
func (a Axis) has(v float64) bool { return finite(v) && (v > 0 || !a.logarithmic()) }

// Share returns where a value lies: 0 at one end of the axis, 1 at the other.
func (a Axis) Share(v float64) float64 {
	switch {
	case !a.has(a.Min) || !a.has(a.Max) || a.Max <= a.Min:
		return .5
	case a.logarithmic():
		low, high := math.Log(a.Min), math.Log(a.Max)
		return (math.Log(v) - low) / max(high-low, math.SmallestNonzeroFloat64)
	case !finite(a.Max - a.Min):
		return (v/4 - a.Min/4) / (a.Max/4 - a.Min/4)
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
	case !a.spans():
		return a.oneTick()
	case a.logarithmic():
		return a.logTicks()
	case a.Scale == Whole:
		return a.wholeTicks()
	default:
		return a.linearTicks()
	}
	return ticks
}

// oneTick returns that of the first end that can be on the axis.
func (a Axis) oneTick() []plot.Tick {
	for _, v := range []float64{a.Min, a.Max} {
		switch {
		case !a.has(v):
		case a.Scale == Times:
			return []plot.Tick{{Value: v, Label: Duration(v)}}
		default:
			return []plot.Tick{{Value: v, Label: digits(v)}}
		}
	}
	return nil
}

// wholeTicks returns the first whole number, and up to six multiples of 1, 2 or 5
// times a power of ten.
func (a Axis) wholeTicks() []plot.Tick {
	first, step := math.Ceil(a.Min), max(1, a.step())
	out := []plot.Tick{{Value: first, Label: digits(first)}}
	for _, v := range a.multiples(step, first+step/2) {
		out = append(out, plot.Tick{Value: v, Label: digits(v)})
	}
	return a.inside(out)
}

const mostSteps = 6 // of an axis

// step is the smallest of 1, 2 or 5 times a power of ten that the axis has at most
// six of.
func (a Axis) step() float64 {
	for power := math.Pow(10, math.Floor(math.Log10((a.Max-a.Min)/mostSteps))); ; power *= 10 {
		for _, digit := range []float64{1, 2, 5} {
			if step := digit * power; (a.Max-a.Min)/step <= mostSteps*(1+1e-9) {
				return step
			}
		}
	}
}

// multiples returns those of a step from a value to the end of the axis.
func (a Axis) multiples(step, from float64) (out []float64) {
	first := math.Ceil(from/step - 1e-9)
	for i := range mostSteps + 2 {
		v := (first + float64(i)) * step
		if v-a.Max > 1e-9*step {
			break
		}
		out = append(out, max(a.Min, min(a.Max, v)))
	}
	return out
}

// linearTicks returns the multiples of the step, with as many decimals as it has.
func (a Axis) linearTicks() (out []plot.Tick) {
	const huge = 1e6
	step := a.step()
	decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	for _, v := range a.multiples(step, a.Min) {
		t := plot.Tick{Value: v, Label: strconv.FormatFloat(v+0, 'f', decimals, 64)}
		if math.Abs(v) >= huge || decimals > 6 {
			t.Label = digits(v)
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

// digitTicks returns ticks at all digits of every power of ten, of many powers at some
// of these alone, and how many have a label: those at the digits named.
func (a Axis) digitTicks(named ...float64) (ticks []plot.Tick, labelled int) {
	const most = 24 // powers
	first, last := int(math.Floor(math.Log10(a.Min))), int(math.Floor(math.Log10(a.Max)+1e-9))
	every, digits := 1+(last-first)/most, 9
	if every > 1 {
		digits = 1
	}
	for i := first; i <= last; i += every {
		power := float64(i)
		for d := range digits {
			digit := float64(d + 1)
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
