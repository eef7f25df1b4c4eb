package live

import (
	"fmt"
	"math/rand/v2"
	"time"

	"dgsbench/specs"
)

// arrivals appends to due the times at which events with these times of the stream, in
// seconds, are due, if rate of them are in a second on average. The first is due one mean
// gap after the start, or the first gap that is drawn.
func arrivals(due []time.Duration, how specs.Arrivals, rate int, times []float64, rng *rand.Rand) ([]time.Duration, error) {
	gap := float64(time.Second) / float64(rate)
	n, at := len(times), 0.0
	if how == specs.StreamTimes {
		span := times[n-1] - times[0]
		if span <= 0 {
			return nil, fmt.Errorf("arrivals: the %d events that are answered all have the same time, expected %s or %s", n, specs.Poisson, specs.Fixed)
		}
		for _, t := range times {
			due = append(due, time.Duration(gap+(t-times[0])/span*gap*float64(n-1)))
		}
		return due, nil
	}
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
