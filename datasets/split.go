package datasets

import (
	"fmt"
	"math"
	"sort"
)

// Split cuts a stream in time: events before TrainEnd are the train part,
// those from ValEnd on the test part, the ones between for validation.
type Split struct {
	TrainEnd, ValEnd int
}

// SplitRule says where the parts end. Make one with ByTime or ByRow.
type SplitRule struct {
	train, val float64
	byTime     bool
}

// ByTime ends the parts at quantiles of the events' times, as TGN and PyG do
// (0.70 and 0.85): a part holds the events up to and including the quantile,
// which is interpolated linearly like numpy's.
func ByTime(train, val float64) SplitRule {
	return SplitRule{train: train, val: val, byTime: true}
}

// ByRow ends the parts at shares of the number of events, rounded down.
func ByRow(train, val float64) SplitRule {
	return SplitRule{train: train, val: val}
}

// NewSplitRule is ByTime or ByRow, for shares that a user gives: 0 < train <
// val < 1. by is "time" or "row".
func NewSplitRule(train, val float64, by string) (SplitRule, error) {
	if !(0 < train && train < val && val < 1) {
		return SplitRule{}, fmt.Errorf("a split at %v and %v, expected two shares of the events between 0 and 1, the smaller first, such as 0.7 and 0.85", train, val)
	}
	switch by {
	case "time":
		return ByTime(train, val), nil
	case "row":
		return ByRow(train, val), nil
	}
	return SplitRule{}, fmt.Errorf("a split by %q, expected time or row", by)
}

// Split applies the rule.
func (r SplitRule) Split(s Stream) Split {
	end := func(share float64) int {
		if r.byTime {
			return countUpTo(s.Time, Quantile(s.Time, share))
		}
		return int(share * float64(s.Len()))
	}
	return Split{TrainEnd: end(r.train), ValEnd: end(r.val)}
}

// String is the rule in words, e.g. "70/15/15 by time".
func (r SplitRule) String() string {
	by := "row"
	if r.byTime {
		by = "time"
	}
	a, b := math.Round(100*r.train), math.Round(100*r.val)
	return fmt.Sprintf("%.0f/%.0f/%.0f by %s", a, b-a, 100-b, by)
}

// Quantile is numpy.quantile of ascending values, with its default linear
// interpolation (and its rounding: from the nearer end). It is NaN without
// values.
func Quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	at := q * float64(len(sorted)-1)
	lo := int(at)
	hi := min(lo+1, len(sorted)-1)
	part := at - float64(lo)
	a, b := sorted[lo], sorted[hi]
	if part < 0.5 {
		return a + (b-a)*part
	}
	return b - (b-a)*(1-part)
}

// countUpTo is the number of ascending values <= limit.
func countUpTo(sorted []float64, limit float64) int {
	return sort.Search(len(sorted), func(i int) bool { return sorted[i] > limit })
}
