package page

import (
	"fmt"
	"math"
	"time"

	"gonum.org/v1/plot"
)

// axis is what a pane spans in one direction.
type axis struct {
	min, max float64
	whole    bool // only whole numbers have a tick
	times    bool // nanoseconds, on a logarithmic scale
}

// spanning takes all finite values in, with a little room.
func spanning(values []float64) axis {
	a := axis{min: math.Inf(1), max: math.Inf(-1)}
	for _, v := range values {
		if finite(v) {
			a.min, a.max = min(a.min, v), max(a.max, v)
		}
	}
	if a.min > a.max {
		return axis{max: 1}
	}
	room := .06 * (a.max - a.min)
	if room == 0 {
		room = max(.01*math.Abs(a.max), 1e-9)
	}
	return axis{min: a.min - room, max: a.max + room}
}

// share is where a value lies: 0 at one end of the axis, 1 at the other.
func (a axis) share(v float64) float64 {
	switch {
	case a.max <= a.min:
		return .5
	case a.times:
		return math.Log(v/a.min) / math.Log(a.max/a.min)
	}
	return (v - a.min) / (a.max - a.min)
}

// ticks are a few round values of the axis.
func (a axis) ticks() []float64 {
	if a.times {
		return a.roundTimes()
	}
	if a.max <= a.min {
		return []float64{a.min}
	}
	if a.whole {
		return a.wholeNumbers()
	}
	var out []float64
	for _, t := range (plot.DefaultTicks{}).Ticks(a.min, a.max) {
		if t.Label != "" && t.Value >= a.min && t.Value <= a.max {
			out = append(out, t.Value)
		}
	}
	return out
}

// wholeNumbers are the first one, and up to five multiples of 1, 2 or 5 times a
// power of ten.
func (a axis) wholeNumbers() []float64 {
	const most = 5
	step := 1.0
	for power := 1.0; (a.max-a.min)/step > most; power *= 10 {
		for _, digit := range []float64{1, 2, 5} {
			if step = digit * power; (a.max-a.min)/step <= most {
				break
			}
		}
	}
	out := []float64{a.min}
	for v := step; v <= a.max; v += step {
		if v-a.min >= step/2 {
			out = append(out, v)
		}
	}
	return out
}

// roundTimes are powers of ten, and where there are few of them also 2 and 5
// times those.
func (a axis) roundTimes() []float64 {
	var tens, all []float64
	for power := 1.0; power <= a.max; power *= 10 {
		for _, digit := range []float64{1, 2, 5} {
			if v := digit * power; v >= a.min && v <= a.max {
				all = append(all, v)
				if digit == 1 {
					tens = append(tens, v)
				}
			}
		}
	}
	if len(all) <= 5 {
		return all
	}
	return tens
}

// text is a value as the axis shows it.
func (a axis) text(v float64) string {
	if a.times {
		return duration(v)
	}
	return fmt.Sprintf("%.4g", v)
}

// duration is a time of so many nanoseconds with three digits.
func duration(ns float64) string {
	if ns >= 1 {
		step := math.Pow(10, math.Floor(math.Log10(ns))-2)
		ns = math.Round(ns/step) * step
	}
	return time.Duration(math.Round(ns)).String()
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
