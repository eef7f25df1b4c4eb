package cpu_test

import (
	"math"
	"testing"

	"dgsbench/kernels"
	"dgsbench/kernels/cpu"
)

func TestRankReportsScoresThatAreNotFinite(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	const dim, node, event = 9, 30, 21
	cases := []struct {
		name  string
		spoil func(q *ranking)
		want  int
	}{
		{"nothing", func(*ranking) {}, -1},
		{"NaN candidate", func(q *ranking) { q.P[node*dim] = nan }, 0},
		{"infinite candidate", func(q *ranking) { q.P[node*dim+dim-1] = inf }, 0},
		{"infinity that the ReLU takes away", func(q *ranking) { q.P[node*dim] = -inf }, -1},
		{"NaN event", func(q *ranking) { q.U[event*dim+4] = nan }, event},
		{"two events", func(q *ranking) { q.U[event*dim], q.U[(event+20)*dim] = inf, nan }, event},
		{"last event", func(q *ranking) { q.U[len(q.U)-1] = nan }, 49},
		{"overflow", func(q *ranking) { q.U[event*dim], q.W[0] = math.MaxFloat32, 2 }, event},
		{"NaN node that is no candidate", func(q *ranking) {
			q.P[node*dim] = nan
			q.Candidates = []int32{1, 2, 3, 50}
		}, -1},
		{"NaN true destination that is no candidate", func(q *ranking) {
			q.P[node*dim], q.True[event] = nan, node
			q.Candidates = []int32{1, 2, 3, 50}
		}, event},
		{"NaN destination that is left out", func(q *ranking) {
			q.P[node*dim] = nan
			q.Without = make([][]int32, q.Events)
			q.Without[0] = []int32{node}
		}, 0},
	}
	for _, c := range cases {
		q := question(50, 60, dim)
		for i := range q.True {
			q.True[i] = 0
		}
		c.spoil(&q)
		eachRanker(q, func(name string, _ cpu.Kernels, r kernels.Ranker) {
			if bad := r.Rank(q.ask(), make([]int32, 50), make([]int32, 50)); bad != c.want {
				t.Errorf("%s, %s: event %d, want %d", c.name, name, bad, c.want)
			}
		})
	}
}

func TestRankDoesNotAllocate(t *testing.T) {
	q := moving(40, 70, 11)
	q.Without = make([][]int32, q.Events)
	q.Without[3] = []int32{4, 5}
	greater, equal, asked := make([]int32, q.Events), make([]int32, q.Events), q.ask()
	eachRanker(q, func(name string, _ cpu.Kernels, r kernels.Ranker) {
		if n := testing.AllocsPerRun(10, func() { r.Rank(asked, greater, equal) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	})
}

func TestRankRefusesWrongInput(t *testing.T) {
	cases := map[string]func(q *ranking){
		"short U":                  func(q *ranking) { q.U = q.U[1:] },
		"short P":                  func(q *ranking) { q.P = q.P[1:] },
		"short W":                  func(q *ranking) { q.W = q.W[1:] },
		"true destinations":        func(q *ranking) { q.True = q.True[1:] },
		"true destination unknown": func(q *ranking) { q.True[2] = int32(q.Nodes) },
		"candidate unknown":        func(q *ranking) { q.Candidates = []int32{-1, 3} },
		"candidate twice":          func(q *ranking) { q.Candidates = []int32{3, 3} },
		"too many events":          func(q *ranking) { *q = question(50, 7, 3) },
		"too many dimensions":      func(q *ranking) { *q = question(5, 7, 30) },
	}
	wrongMoves := map[string]func(q *ranking){
		"short Slope":     func(q *ranking) { q.Slope = q.Slope[1:] },
		"times of events": func(q *ranking) { q.EventTime = q.EventTime[:4] },
		"times of nodes":  func(q *ranking) { q.NodeTime = q.NodeTime[1:] },
	}
	eachRanker(question(5, 7, 3), func(name string, _ cpu.Kernels, r kernels.Ranker) {
		for what, spoil := range wrongMoves {
			q := moving(5, 7, 3)
			spoil(&q)
			mustPanic(t, name+", "+what, func() { r.Rank(q.ask(), make([]int32, 50), make([]int32, 50)) })
		}
		for what, spoil := range cases {
			q := question(5, 7, 3)
			spoil(&q)
			mustPanic(t, name+", "+what, func() { r.Rank(q.ask(), make([]int32, 50), make([]int32, 50)) })
		}
		mustPanic(t, name+", room for counts", func() { r.Rank(question(5, 7, 3).ask(), make([]int32, 5), make([]int32, 4)) })
		mustPanic(t, name+", room for scores", func() { r.Scores(question(5, 7, 3).ask(), make([]float32, 34)) })
	})
}
