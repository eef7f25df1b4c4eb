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
