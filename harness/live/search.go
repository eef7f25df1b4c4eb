package live

import (
	"context"
	"math"
	"slices"
	"time"

	"dgsbench/protocol"
	"dgsbench/results/record"
	"dgsbench/specs"
)

// precision is the ratio of the lowest rate that misses a limit to the highest one that
// keeps it at which a search ends.
const precision = 1.1

// margin is by how much arrivals of an hour or less exceed their mean, at most.
const margin = 1.1

// mostTries is how often a rate is measured that misses a limit: a machine that is
// disturbed makes response times longer, and never shorter.
const mostTries = 2

// search measures points until the highest rate that keeps a limit lies between two of
// them.
func (s *subject) search(ctx context.Context, limit time.Duration) error {
	lowest := int(math.Ceil(margin * protocol.FewestAnswers / s.live.MostSeconds)) // it must have answers enough
	for {
		keeps, misses := s.Record.Live.Bracket(limit)
		next := 0
		switch {
		case misses > 0 && s.tries(misses) < mostTries:
			next = misses
		case keeps == specs.HighestRate || misses > 0 && misses <= lowest:
			return nil
		case misses == 0:
			next = min(max(10*keeps, lowest), specs.HighestRate)
		case keeps == 0:
			next = max(misses/10, lowest)
		case float64(misses) <= precision*float64(keeps):
			return nil
		default:
			next = rounded(math.Sqrt(float64(keeps) * float64(misses)))
		}
		if next <= keeps || misses > 0 && next > misses { // they are too small to lie apart
			return nil
		}
		if err := s.try(ctx, next, true); err != nil {
			return err
		}
		if i := s.indexOf(next); !s.Record.Live.Points[i].Known() { // fewer events came than expected
			return nil
		}
	}
}

// indexOf returns the index of the point of a rate, -1 if there is none.
func (s *subject) indexOf(rate int) int {
	return slices.IndexFunc(s.Record.Live.Points, func(p record.LivePoint) bool { return p.Rate == rate })
}

// tries returns how often a rate has been measured; mostTries where that cannot change.
func (s *subject) tries(rate int) int {
	if i := s.indexOf(rate); i >= 0 && !s.live.Simulated {
		return s.Record.Live.Points[i].Tries
	}
	return mostTries
}

// rounded returns a rate with three digits.
func rounded(rate float64) int {
	unit := math.Pow(10, max(0, math.Floor(math.Log10(rate))-2))
	return int(math.Round(rate/unit) * unit)
}
