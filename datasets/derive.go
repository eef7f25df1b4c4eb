package datasets

import (
	"fmt"
	"math"
	"slices"

	"dgsbench/internal/ram"
)

// history is what is known about the nodes before a window of events.
type history struct {
	last  []float64  // time of the last event, as source or destination
	count [2][]int32 // events as source, as destination
}

// add adds event k.
func (h *history) add(s Stream, k int) {
	u, v := s.Src[k], s.Dst[k]
	h.last[u], h.last[v] = s.Time[k], s.Time[k]
	h.count[Source][u]++
	h.count[Destination][v]++
}

// Derive replaces the features of a whole stream by derived ones. The values of
// an event depend on it and on the events before its window only. Measurements
// are standardised with means and deviations over the events of train, a part
// of s; hashed ids and the file's own features are not.
//
// A window extends from an event k with begins[k] to the next such event. If
// begins is nil, each event is a window.
func Derive(s, train Stream, features []Derived, begins []bool) (Stream, error) {
	width, widths, sweeps := 0, make([]int, len(features)), int64(0)
	for i, f := range features {
		if f.needs > s.NumFeat {
			return Stream{}, fmt.Errorf("feature %d is declared, but the file has %d", f.needs, s.NumFeat)
		}
		widths[i] = len(f.names(make([]string, s.NumFeat)))
		width += widths[i]
		if f.sweep != nil {
			sweeps = max(sweeps, f.bytes(s))
		}
	}
	if err := ram.Check("derived features", derivedBytes(s, width)+sweeps); err != nil {
		return Stream{}, err
	}
	out := s.WithFeatures(make([]float32, s.Len()*width), width)
	h := &history{last: make([]float64, s.NumNodes), count: [2][]int32{make([]int32, s.NumNodes), make([]int32, s.NumNodes)}}
	known := 0 // events in the history
	for k := range s.Len() {
		if begins == nil || begins[k] {
			for ; known < k; known++ {
				h.add(s, known)
			}
		}
		row := out.Features(k)
		for i, f := range features {
			if f.sweep == nil {
				f.fill(s, k, h, row[:widths[i]])
			}
			if !finite(row[:widths[i]]) {
				return Stream{}, fmt.Errorf("event %d: %s is not finite", k, f)
			}
			row = row[widths[i]:]
		}
	}
	first := 0
	for i, f := range features {
		if f.sweep != nil {
			f.sweep(s, begins, func(k int) []float32 { return out.Features(k)[first:][:widths[i]] })
		}
		if f.scaled {
			if k := standardise(out, train, first, widths[i]); k >= 0 {
				return Stream{}, fmt.Errorf("event %d: %s: too far from the training part's for a float32", k, f)
			}
		}
		first += widths[i]
	}
	return out, nil
}

// derivedBytes returns the memory in bytes that Derive takes: the columns, the
// history, and the marks of first events of windows.
func derivedBytes(s Stream, width int) int64 {
	const node = 8 + 4 + 4 // in the history
	return int64(s.Len())*(4*int64(width)+1) + node*int64(s.NumNodes)
}

func finite(row []float32) bool {
	for _, x := range row {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return false
		}
	}
	return true
}

// standardise scales features first to first+n-1 of all events so that the
// events of train have mean 0 and standard deviation 1 (of the population:
// ddof 0). A feature that is constant there becomes 0. It returns the first
// event with a value that is then too large for a float32, or -1.
func standardise(s, train Stream, first, n int) (bad int) {
	mean, sd := moments(s, train, first, n)
	for k := range s.Len() {
		row := s.Features(k)[first:][:n]
		for c, x := range row {
			if sd[c] == 0 {
				row[c] = 0
			} else {
				row[c] = float32((float64(x) - mean[c]) / sd[c])
			}
		}
		if !finite(row) {
			return k
		}
	}
	return -1
}

// moments returns the means and the standard deviations over the events of
// train, in float64. The deviation of equal values is exactly 0.
func moments(s, train Stream, first, n int) (mean, sd []float64) {
	events := float64(train.Len())
	mean, sd = make([]float64, n), make([]float64, n)
	lo, hi := slices.Repeat([]float64{math.Inf(1)}, n), slices.Repeat([]float64{math.Inf(-1)}, n)
	for k := range train.Len() {
		for c, value := range s.Features(train.EventID(k))[first:][:n] {
			x := float64(value)
			lo[c], hi[c] = min(lo[c], x), max(hi[c], x)
			mean[c] += x
		}
	}
	for c := range mean {
		mean[c] /= events
	}
	for k := range train.Len() {
		for c, value := range s.Features(train.EventID(k))[first:][:n] {
			d := float64(value) - mean[c]
			sd[c] += d * d
		}
	}
	for c := range sd {
		if sd[c] = math.Sqrt(sd[c] / events); lo[c] >= hi[c] {
			sd[c] = 0
		}
	}
	return mean, sd
}
