package ring

import (
	"fmt"
	"slices"
	"testing"
)

// BenchmarkEvents measures the cost of an event (query of its ends and
// insertion, in batches of 200) after before other events. The rings are full
// from the start.
func BenchmarkEvents(b *testing.B) {
	const nodes, batch = 10_000, 200
	s := random(1_000_000, nodes, 1)
	for _, before := range []int{200_000, 1_000_000, 10_000_000} {
		r := bare(nodes, 10)
		for first := 0; first < before; first += s.Len() {
			r.Insert(s.Slice(0, min(s.Len(), before-first)).From(first), nil)
		}
		b.Run(fmt.Sprintf("before=%d", before), func(b *testing.B) {
			var centres []int32
			for lo := 0; b.Loop(); lo = (lo + batch) % s.Len() {
				part := s.Slice(lo, lo+batch)
				centres = append(append(centres[:0], part.Src...), part.Dst...)
				slices.Sort(centres)
				r.Query(slices.Compact(centres), 1, false)
				r.Insert(part.From(before+lo), nil)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*batch), "ns/event")
		})
	}
}
