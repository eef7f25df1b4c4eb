package metrics

import (
	"math"
	"slices"
)

// Rank returns the average-tie rank of the true destination: 1 + greater +
// equal/2, which may be half-integral. It is the rule of TGB
// (linkproppred/evaluate.py): the mean of the optimistic and the pessimistic
// rank.
func Rank(greater, equal int32) float64 {
	return 1 + float64(greater) + float64(equal)/2
}

// prepareMRR prepares the mean of 1/rank over events.
func prepareMRR(f Facts) Weighted {
	values := make([]float64, len(f.Greater))
	for k := range values {
		values[k] = 1 / Rank(f.Greater[k], f.Equal[k])
	}
	return weightedMean(values)
}

// prepareRecall prepares the share of events with a rank of at most k.
func prepareRecall(k float64) func(Facts) Weighted {
	return func(f Facts) Weighted {
		values := make([]float64, len(f.Greater))
		for i := range values {
			if Rank(f.Greater[i], f.Equal[i]) <= k {
				values[i] = 1
			}
		}
		return weightedMean(values)
	}
}

func weightedMean(values []float64) Weighted {
	return func(weights []uint8) float64 {
		if weights == nil {
			weights = slices.Repeat([]uint8{1}, len(values))
		}
		sum, events := 0.0, 0
		for k, w := range weights {
			sum += float64(w) * values[k]
			events += int(w)
		}
		if events == 0 {
			return math.NaN()
		}
		return sum / float64(events)
	}
}
