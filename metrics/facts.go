package metrics

import (
	"fmt"
	"math"
)

// Facts are what was observed for each event of one evaluated part, in
// stream order. Either the first columns are set (ranking) or the last two
// (classification).
type Facts struct {
	// Greater and Equal count the negatives whose score is above that of the
	// true destination and equal to it.
	Greater, Equal []int32
	// Against is the number of negatives; nil in older facts.
	Against []int32

	Score []float32 // any finite number, higher for class 1
	Label []int8    // 0, 1, or -1 where the class is not known

	// Days are the first events of each day of the part, ascending from 0; one
	// without events begins where the next one does. Nil where days are not known.
	Days []int32
	// LogOdds says that a score is the logarithm of the odds that the class is 1.
	LogOdds bool

	Order *Order // nil if Sorted has not found it
}

// Day is 24 hours in the unit of a stream's times, counted from its first event.
const Day = 86_400

// MostDays is how many days a part may span; one of more has no Days.
const MostDays = 10_000

// DaysOf returns the Days of a part of a stream whose events have these times, in
// seconds and ascending.
func DaysOf(times, stream []float64) (days []int32) {
	if len(times) == 0 || len(stream) == 0 {
		return nil
	}
	day := func(t float64) float64 { return math.Floor((t - stream[0]) / Day) }
	first := day(times[0])
	if day(times[len(times)-1])-first >= MostDays {
		return nil
	}
	for k, t := range times {
		for first+float64(len(days)) <= day(t) {
			days = append(days, int32(k))
		}
	}
	return days
}

// OfDays returns the facts of classified events of days n to m, counted from 1.
func (f Facts) OfDays(n, m int) Facts {
	begin, end := f.span(n, m)
	return Facts{Score: f.Score[begin:end], Label: f.Label[begin:end]}
}

// span returns the first event of days n to m and the one after their last.
func (f Facts) span(n, m int) (begin, end int) {
	if f.Days == nil {
		return 0, 0
	}
	at := func(day int) int {
		if day < len(f.Days) {
			return int(f.Days[day])
		}
		return f.Len()
	}
	return at(n - 1), at(m)
}

// First returns the facts of the first n events, or of all if there are fewer.
func (f Facts) First(n int) Facts {
	if n >= f.Len() {
		return f
	}
	first := Facts{LogOdds: f.LogOdds}
	if len(f.Score) > 0 {
		first.Score, first.Label = f.Score[:n], f.Label[:n]
		return first
	}
	first.Greater, first.Equal = f.Greater[:n], f.Equal[:n]
	if f.Against != nil {
		first.Against = f.Against[:n]
	}
	return first
}

// Order is that of the labelled events by their scores.
type Order struct{ curve }

// Sorted returns the facts with their Order, which the metrics that are prepared
// on them share.
func (f Facts) Sorted() Facts {
	f.Order = &Order{newCurve(f)}
	return f
}

// Len returns the number of events.
func (f Facts) Len() int { return max(len(f.Greater), len(f.Score)) }

// Positives returns the number of events of class 1.
func (f Facts) Positives() int { return count(f.Label, 1) }

// Negatives returns the number of events of class 0.
func (f Facts) Negatives() int { return count(f.Label, 0) }

// Unopposed returns the number of events without negatives: they rank first
// whatever the model says.
func (f Facts) Unopposed() int { return count(f.Against, 0) }

func count[T comparable](values []T, x T) (n int) {
	for _, v := range values {
		if v == x {
			n++
		}
	}
	return n
}

// Check returns an error for the first value that no evaluation can observe:
// columns of different length, impossible counts, scores that are not finite,
// unknown classes.
func (f Facts) Check() error {
	if len(f.Greater) > 0 && len(f.Score) > 0 {
		return fmt.Errorf("facts hold counts and scores, expected one of them")
	}
	if len(f.Greater) != len(f.Equal) || len(f.Score) != len(f.Label) {
		return fmt.Errorf("facts have %d, %d counts and %d scores, %d labels",
			len(f.Greater), len(f.Equal), len(f.Score), len(f.Label))
	}
	if f.Against != nil && len(f.Against) != len(f.Greater) {
		return fmt.Errorf("facts have %d counts and %d numbers of negatives", len(f.Greater), len(f.Against))
	}
	for d, first := range f.Days {
		if first < 0 || int(first) >= f.Len() || d == 0 && first != 0 || d > 0 && first < f.Days[d-1] {
			return fmt.Errorf("day %d begins at event %d of %d, expected ascending ones from 0 on", d, first, f.Len())
		}
	}
	for k := range f.Greater {
		if f.Greater[k] < 0 || f.Equal[k] < 0 {
			return fmt.Errorf("entry %d: counts %d and %d, expected none below 0", k, f.Greater[k], f.Equal[k])
		}
		if f.Against != nil && int64(f.Greater[k])+int64(f.Equal[k]) > int64(f.Against[k]) {
			return fmt.Errorf("entry %d: counts %d and %d of %d negatives", k, f.Greater[k], f.Equal[k], f.Against[k])
		}
	}
	for k, score := range f.Score {
		if math.IsNaN(float64(score)) || math.IsInf(float64(score), 0) {
			return fmt.Errorf("entry %d: score %v, expected a finite number", k, score)
		}
		if f.Label[k] < -1 || f.Label[k] > 1 {
			return fmt.Errorf("entry %d: label %d, expected -1, 0 or 1", k, f.Label[k])
		}
	}
	return nil
}
