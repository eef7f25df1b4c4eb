package datasets

import (
	"fmt"
	"math"

	"dgsbench/internal/ram"
)

// history is what is known of the nodes before a window of events.
type history struct {
	seen  []bool
	last  []float64  // time of the last event, in either role
	count [2][]int32 // events as source, as destination
}

func newHistory(nodes int) *history {
	return &history{
		seen: make([]bool, nodes), last: make([]float64, nodes),
		count: [2][]int32{make([]int32, nodes), make([]int32, nodes)},
	}
}

// add folds event k in.
func (h *history) add(s Stream, k int) {
	u, v := s.Src[k], s.Dst[k]
	h.seen[u], h.seen[v] = true, true
	h.last[u], h.last[v] = s.Time[k], s.Time[k]
	h.count[Source][u]++
	h.count[Destination][v]++
}

// Derive replaces the features of a whole stream by derived ones. Values of
// an event depend on it and on the events before its window only; what is
// learnt (categories, means, deviations) is learnt on the events of train, a
// part of s. Measurements are standardised, hashed ids, categories and the
// file's own features are not.
//
// A window goes from an event k with begins[k] to the next such event. Where
// begins is nil, each event is a window.
func Derive(s, train Stream, features []Derived, begins []bool) (Stream, error) {
	fitted := make([]columns, len(features))
	width := 0
	for i, f := range features {
		var err error
		if fitted[i], err = f.fit(train); err != nil {
			return Stream{}, err
		}
		width += fitted[i].width
	}
	if err := ram.Check("derived features", derivedBytes(s, width)); err != nil {
		return Stream{}, err
	}
	out := s.WithFeatures(make([]float32, s.Len()*width), width)
	h, known := newHistory(s.NumNodes), 0 // of the events before this one
	for k := range s.Len() {
		if begins == nil || begins[k] {
			for ; known < k; known++ {
				h.add(s, known)
			}
		}
		row := out.Features(k)
		for i, c := range fitted {
			c.fill(s, k, h, row[:c.width])
			if bad := notFinite(row[:c.width]); bad {
				return Stream{}, fmt.Errorf("event %d: %s is not finite", k, features[i])
			}
			row = row[c.width:]
		}
	}
	first := 0
	for f, c := range fitted {
		if c.scaled {
			for i := range c.width {
				if k := standardise(out, train, first+i); k >= 0 {
					return Stream{}, fmt.Errorf("event %d: %s: too far from the training part's for a float32", k, features[f])
				}
			}
		}
		first += c.width
	}
	return out, nil
}

func notFinite(row []float32) bool {
	for _, x := range row {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return true
		}
	}
	return false
}
