package datasets

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// Values from numpy.quantile (linear interpolation).
func TestQuantile(t *testing.T) {
	shares := []float64{0, 0.15, 0.5, 0.7, 0.85, 1}
	for _, c := range []struct{ times, want []float64 }{
		{[]float64{5}, []float64{5, 5, 5, 5, 5, 5}},
		{[]float64{1, 2}, []float64{1, 1.15, 1.5, 1.7, 1.85, 2}},
		{[]float64{0, 0, 0, 7}, []float64{0, 0, 0, 0.6999999999999975, 3.8499999999999988, 7}},
		{[]float64{0, 1, 1, 2, 3, 5, 8, 13, 21, 34}, []float64{0, 1, 4, 9.5, 18.199999999999996, 34}},
		{[]float64{0.1, 0.25, 0.7, 1.9, 100.3}, []float64{0.1, 0.19, 0.7, 1.6599999999999997, 41.259999999999984, 100.3}},
	} {
		for i, q := range shares {
			if got := Quantile(c.times, q); got != c.want[i] {
				t.Errorf("quantile %v of %v: %v, want %v", q, c.times, got, c.want[i])
			}
		}
	}
	if !math.IsNaN(Quantile(nil, 0.5)) {
		t.Error("a quantile of nothing is a number")
	}
}

func TestSplit(t *testing.T) {
	ties := Stream{Src: make([]int32, 10), Dst: make([]int32, 10), Time: []float64{0, 1, 1, 1, 1, 1, 1, 1, 2, 3}}
	for _, c := range []struct {
		rule SplitRule
		want Split
		name string
	}{
		{ByRow(0.6, 0.7), Split{6, 7}, "60/10/30 by row"},
		{ByRow(0.55, 0.86), Split{5, 8}, "55/31/14 by row"},
		{ByTime(0.70, 0.85), Split{8, 8}, "70/15/15 by time"}, // the group at time 1 is not cut
	} {
		if got := c.rule.Split(ties); got != c.want {
			t.Errorf("%s: %v, want %v", c.rule, got, c.want)
		}
		if c.rule.String() != c.name {
			t.Errorf("%q, want %q", c.rule, c.name)
		}
	}
}

// A part by time holds the events up to the quantile, and never cuts a group
// of equal times.
func TestSplitByTimeKeepsTiesTogether(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawEvents(t, rapid.IntRange(1, 50).Draw(t, "events"))
		for k := range s.Time {
			s.Time[k] = math.Floor(s.Time[k] / 20)
		}
		split := ByTime(0.70, 0.85).Split(s)
		want := 0
		for _, at := range s.Time {
			if at <= Quantile(s.Time, 0.70) {
				want++
			}
		}
		if split.TrainEnd != want || split.ValEnd < want || split.ValEnd > s.Len() {
			t.Fatalf("%v of %d events, want %d to train on", split, s.Len(), want)
		}
		for _, end := range []int{split.TrainEnd, split.ValEnd} {
			if end < s.Len() && s.Time[end] == s.Time[end-1] {
				t.Fatalf("events %d and %d have the same time and are in two parts", end-1, end)
			}
		}
	})
}
