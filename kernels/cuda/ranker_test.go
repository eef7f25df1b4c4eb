//go:build gpu

package cuda_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dgsbench/kernels"
	"dgsbench/kernels/cuda"
	"dgsbench/kernels/cuda/cudatest"
)

// TestScoresOfAllTiles: a score has the same bits in a ranking of many events,
// which has large tiles, as in one of few; and counts are by these bits.
func TestScoresOfAllTiles(t *testing.T) {
	d := cudatest.Device(t)
	info := cudatest.Card(t).Info()
	const dim, few, side = 21, 30, 128
	many := side*int(math.Ceil(math.Sqrt(float64(4*info.Multiprocessors)))) - 1 // as ranker.tile has it
	rng := rand.New(rand.NewPCG(1, 2))
	table := func(rows int) kernels.Buffer {
		x := normals(rng, rows*dim)
		for row := 7; row < rows; row += 7 {
			copy(x[row*dim:][:dim], x[:dim]) // scores tie
		}
		b := d.NewBuffer(len(x))
		d.Write(b, x)
		return b
	}
	q := kernels.Ranking{Events: many, Nodes: many, Dim: dim}
	q.U = table(many)
	q.P = table(many)
	q.W = table(1)
	for range many {
		q.True = append(q.True, rng.Int32N(int32(many)))
	}

	r := d.NewRanker(many, dim)
	scores := make([]float32, many*many)
	r.Scores(q, scores)
	greater, equal := make([]int32, many), make([]int32, many)
	if bad := r.Rank(q, greater, equal); bad >= 0 {
		t.Fatalf("event %d has a score that is not finite", bad)
	}
	for e, truth := range q.True {
		above, level := int32(0), int32(-1) // the true destination
		row := scores[e*many:][:many]
		for _, score := range row {
			if score > row[truth] {
				above++
			} else if score == row[truth] {
				level++
			}
		}
		if greater[e] != above || equal[e] != level {
			t.Fatalf("event %d: %d above and %d level, its scores say %d and %d", e, greater[e], equal[e], above, level)
		}
	}

	q.Events = few
	again := make([]float32, few*many)
	r.Scores(q, again)
	if !slices.Equal(again, scores[:few*many]) {
		t.Error("with few events, scores differ")
	}
}

// TestRankWaitsOnce counts what a question costs beside the sums.
func TestRankWaitsOnce(t *testing.T) {
	d := cudatest.Device(t)
	q := kernels.Ranking{
		Events: 2, Nodes: 3, Dim: 4, U: d.NewBuffer(8), P: d.NewBuffer(12), W: d.NewBuffer(4),
		Candidates: []int32{0, 2}, True: []int32{2, 1},
	}
	r := d.NewRanker(2, 4)
	counts := make([]int32, 4)
	rank := func() { r.Rank(q, counts[:2], counts[2:]) }
	rank() // takes memory
	of := d.(*cuda.Device)
	of.Work()
	rank()
	if got, want := of.Work(), (cuda.Work{Launches: 3, Uploads: 2, Downloads: 1, Waits: 1}); got != want {
		t.Errorf("a question is %+v, expected %+v", got, want)
	}
}
