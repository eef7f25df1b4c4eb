package live

import (
	"fmt"
	"math/rand/v2"
	"time"

	"dgsbench/specs"
)

// arrivals appends to due when n events are due, if rate of them are in a second on average.
// The first is due one mean gap after the start, or the first gap that is drawn. times are
// those of the stream in seconds: once, and from event first on again and again. The rate is
// that of the latter.
func arrivals(due []time.Duration, how specs.Arrivals, rate, n int, times []float64, first int, rng *rand.Rand) ([]time.Duration, error) {
	gap, at := float64(time.Second)/float64(rate), 0.0
	if how != specs.StreamTimes {
		for range n {
			step := gap
			if how == specs.Poisson {
				step *= rng.ExpFloat64()
			}
			at += step
			due = append(due, time.Duration(at))
		}
		return due, nil
	}
	last := len(times) - 1
	span := times[last] - times[first]
	if span <= 0 {
		return nil, fmt.Errorf("arrivals: the %d events that are answered all have the same time, expected %s or %s", len(times)-first, specs.Poisson, specs.Fixed)
	}
	scale := gap * float64(last-first) / span
	period := gap * float64(last-first+1)
	for k := range n {
		turn, event := 0, k
		if k > last {
			turn, event = (k-first)/(len(times)-first), first+(k-first)%(len(times)-first)
		}
		due = append(due, time.Duration(gap+(times[event]-times[0])*scale+float64(turn)*period))
	}
	return due, nil
}
