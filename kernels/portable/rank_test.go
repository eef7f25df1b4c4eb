package portable_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dgsbench/kernels"
)

// A ranking that can be followed by hand, in float64: with W = 1, -1 the
// scores of the five nodes are 1, 3, 3, 0, 4 for event 0 and 1, 4, 4, 0, 3
// for event 1.
func TestRankingByHand(t *testing.T) {
	p := numbers{1, -1, 3, -2, 3, -9, -1, -2, 5, 1}
	q := kernels.Ranking{Events: 2, Nodes: 5, Dim: 2, U: numbers{0, 0, 1, 2}, P: p, W: numbers{1, -1}, True: []int32{1, 4}}
	r := device.NewRanker(2, 2)
	scores := make([]float32, 10)
	r.Scores(q, scores)
	if diff := cmp.Diff([]float32{1, 3, 3, 0, 4, 1, 4, 4, 0, 3}, scores); diff != "" {
		t.Errorf("scores: %s", diff)
	}
	cases := []struct {
		name           string
		candidates     []int32
		without        [][]int32
		greater, equal []int32
	}{
		{"all nodes", nil, nil, []int32{1, 2}, []int32{1, 0}},
		{"some nodes", []int32{0, 2, 3}, nil, []int32{0, 1}, []int32{1, 0}},
		{"exclusions", nil, [][]int32{{1, 4}, {2}}, []int32{0, 1}, []int32{1, 0}},
		{"exclusions that are no candidates", []int32{1, 2}, [][]int32{{4}, nil}, []int32{0, 2}, []int32{1, 0}},
	}
	for _, c := range cases {
		q.Candidates, q.Without = c.candidates, c.without
		greater, equal := make([]int32, 2), make([]int32, 2)
		if bad := r.Rank(q, greater, equal); bad != -1 {
			t.Errorf("%s: event %d is not finite", c.name, bad)
		}
		if diff := cmp.Diff([][]int32{c.greater, c.equal}, [][]int32{greater, equal}); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
	q.Candidates, p[0] = nil, math.Inf(1)
	if bad := r.Rank(q, make([]int32, 2), make([]int32, 2)); bad != 0 {
		t.Errorf("an infinite score is reported as event %d, want 0", bad)
	}
}
