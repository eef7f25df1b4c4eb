package scale

import (
	"slices"

	"dgsbench/internal/optional"

	"gonum.org/v1/gonum/stat"
)

// driftChunks is how many chunks it takes to compare the halves of a stream.
const driftChunks = 10

// summary is the median of the times, their quartiles, and the median of the
// second half by that of the first.
func summary(times []float64) (median, low, high, drift optional.Number) {
	drift = optional.Absent()
	if half := len(times) / 2; len(times) >= driftChunks {
		drift = optional.Number(quantile(times[half:], .5) / quantile(times[:half], .5))
	}
	at := func(p float64) optional.Number { return optional.Number(quantile(times, p)) }
	return at(.5), at(.25), at(.75), drift
}

// quantile is the smallest of the values that a share p of them does not
// exceed.
func quantile(values []float64, p float64) float64 {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	return stat.Quantile(p, stat.Empirical, sorted, nil)
}
