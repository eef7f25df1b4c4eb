package portable_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dgsbench/kernels/portable"
)

// A ranking that can be followed by hand, in float64: with W = 1, -1 the
// scores of the five nodes are 1, 3, 3, 0, 4 for event 0 and 1, 4, 4, 0, 3
// for event 1.
func TestRankingByHand(t *testing.T) {
	q := portable.Ranking[float64]{
		Events: 2, Nodes: 5, Dim: 2,
		U:    []float64{0, 0, 1, 2},
		P:    []float64{1, -1, 3, -2, 3, -9, -1, -2, 5, 1},
		W:    []float64{1, -1},
		True: []int32{1, 4},
	}
	for e, want := range [][]float64{{1, 3, 3, 0, 4}, {1, 4, 4, 0, 3}} {
		for v, score := range want {
			if got := q.Score(e, int32(v)); got != score {
				t.Errorf("event %d, node %d: score %v, want %v", e, v, got, score)
			}
		}
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
		q.Check()
		greater, equal := make([]int32, 2), make([]int32, 2)
		if bad := q.Count(0, 2, greater, equal); bad != -1 {
			t.Errorf("%s: event %d is not finite", c.name, bad)
		}
		if diff := cmp.Diff([][]int32{c.greater, c.equal}, [][]int32{greater, equal}); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
	q.Candidates, q.P[0] = nil, math.Inf(1)
	if bad := q.Count(0, 2, make([]int32, 2), make([]int32, 2)); bad != 0 {
		t.Errorf("an infinite score is reported as event %d, want 0", bad)
	}
}
