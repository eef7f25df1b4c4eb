package plan

import (
	"testing"

	"dgsbench/harness"

	"github.com/google/go-cmp/cmp"
)

// TestTogether: searches take turns; a slow one with a trial at a time ends
// last, however many workers there are.
func TestTogether(t *testing.T) {
	mean := func(each Span) float64 { return each.Mean }
	for _, c := range []struct {
		name            string
		workers, atOnce int
		searches        []Search
		want            harness.Cost
	}{
		{"alone, two at once", 2, 2, []Search{{Left: 3, Each: Span{Mean: 2}, Memory: 5}}, harness.Cost{Seconds: 4, Bytes: 10}},
		{"two", 2, 1, []Search{{Left: 2, Each: Span{Mean: 1}, Memory: 5}, {Left: 2, Each: Span{Mean: 1}, Memory: 7}}, harness.Cost{Seconds: 2, Bytes: 12}},
		{"a slow one", 2, 1, []Search{{Left: 4, Each: Span{Mean: 10}}, {Left: 4, Each: Span{Mean: 1}}}, harness.Cost{Seconds: 40}},
		{"nothing", 1, 1, []Search{{Left: 0, Each: Span{Mean: 10}}}, harness.Cost{}},
	} {
		p := tuningPlanner{atOnce: c.atOnce}
		p.out.Workers, p.out.Free = c.workers, 100
		for _, s := range c.searches {
			p.searches = append(p.searches, &search{Search: s})
			p.out.ToDo += s.Left
		}
		if diff := cmp.Diff(c.want, p.together(mean)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}
