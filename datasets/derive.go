package datasets

import (
	"math"
	"slices"

	"dgsbench/internal/ram"
)

// fit computes the features of all events of a whole stream. The values of an
// event depend on it and on the events before its window only. Measurements are
// standardised with means and deviations over the events of train, a part of s,
// which d keeps; hashed ids and the file's own features are not.
//
// A window extends from an event k with begins[k] to the next such event. If
// begins is nil, each event is a window. The history is empty before and after.
func (d *Deriver) fit(s, train Stream, begins []bool) (Stream, error) {
	if err := ram.Check("derived features", d.bytes(s)); err != nil {
		return Stream{}, err
	}
	width := len(d.scaled)
	out := s.WithFeatures(make([]float32, s.Len()*width), width)
	h := d.newHistory()
	h.grow(s.NumNodes)
	known := 0 // events in the history
	for k := range s.Len() {
		if begins == nil || begins[k] {
			h.add(s.Slice(known, k))
			known = k
		}
		if err := d.fill(s, k, h, out.Features(k)); err != nil {
			return Stream{}, err
		}
	}
	d.mean, d.sd = moments(out, train, d.scaled)
	for k := range s.Len() {
		if err := d.scale(s, k, out.Features(k)); err != nil {
			return Stream{}, err
		}
	}
	return out, nil
}

// bytes returns the memory in bytes that fit takes: the columns, the history, and
// the marks of first events of windows.
func (d *Deriver) bytes(s Stream) int64 {
	const node = 8 + 4 + 4 // in the history
	bytes := int64(s.Len())*(4*int64(len(d.scaled))+1) + node*int64(s.NumNodes)
	if d.week {
		bytes += weekBytes(s)
	}
	return bytes
}

func finite(row []float32) bool {
	for _, x := range row {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return false
		}
	}
	return true
}

// moments returns the means and the standard deviations (of the population: ddof
// 0) of the scaled columns over the events of train, in float64, and 0 for the
// others. The deviation of equal values is exactly 0.
func moments(s, train Stream, scaled []bool) (mean, sd []float64) {
	events, n := float64(train.Len()), len(scaled)
	mean, sd = make([]float64, n), make([]float64, n)
	lo, hi := slices.Repeat([]float64{math.Inf(1)}, n), slices.Repeat([]float64{math.Inf(-1)}, n)
	for k := range train.Len() {
		for c, value := range s.Features(train.EventID(k)) {
			x := float64(value)
			lo[c], hi[c] = min(lo[c], x), max(hi[c], x)
			mean[c] += x
		}
	}
	for c := range mean {
		mean[c] /= events
	}
	for k := range train.Len() {
		for c, value := range s.Features(train.EventID(k)) {
			d := float64(value) - mean[c]
			sd[c] += d * d
		}
	}
	for c := range sd {
		if sd[c] = math.Sqrt(sd[c] / events); lo[c] >= hi[c] {
			sd[c] = 0
		}
		if !scaled[c] {
			mean[c], sd[c] = 0, 0
		}
	}
	return mean, sd
}
