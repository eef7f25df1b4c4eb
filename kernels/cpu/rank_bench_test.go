package cpu_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"dgsbench/kernels"
	"dgsbench/kernels/cpu"
)

func BenchmarkRank(b *testing.B) {
	const events, nodes, dim = 200, 9227, 100
	benchmarkRank(b, "", question(events, nodes, dim))
	benchmarkRank(b, "moving/", moving(events, nodes, dim))
}

func benchmarkRank(b *testing.B, kind string, q ranking) {
	events, nodes, dim := q.Events, q.Nodes, q.Dim
	greater, equal := make([]int32, events), make([]int32, events)
	for _, k := range cpu.Available() {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s%dx%dx%d/%s/threads=%d", kind, events, nodes, dim, k.Level(), threads), func(b *testing.B) {
				r, asked := cpu.NewDevice(k, threads).NewRanker(events, dim), q.ask()
				for b.Loop() {
					r.Rank(asked, greater, equal)
				}
				pairs := float64(events) * float64(nodes) * float64(b.N)
				b.ReportMetric(pairs/b.Elapsed().Seconds()/1e6, "Mpairs/s")
			})
		}
	}
}

// ranking is a [kernels.Ranking] whose numbers tests can read and change.
type ranking struct {
	kernels.Ranking
	U, P, W, Slope numbers
}

// ask returns it as a ranker takes it.
func (q ranking) ask() kernels.Ranking {
	out := q.Ranking
	out.U, out.P, out.W = q.U, q.P, q.W
	if q.Slope != nil {
		out.Slope = q.Slope
	}
	return out
}

// question has seeded normal numbers everywhere and no exclusions.
func question(events, nodes, dim int) ranking {
	rng := newRand(uint64(events*nodes + dim))
	normal := func(n int) numbers {
		x := make(numbers, n)
		for i := range x {
			x[i] = float32(rng.NormFloat64())
		}
		return x
	}
	q := ranking{Ranking: kernels.Ranking{Events: events, Nodes: nodes, Dim: dim}}
	q.U, q.P, q.W = normal(events*dim), normal(nodes*dim), normal(dim)
	for range events {
		q.True = append(q.True, rng.Int32N(int32(nodes)))
	}
	return q
}

// moving is a question with candidates that move.
func moving(events, nodes, dim int) ranking {
	q, other := question(events, nodes, dim), question(nodes, events+1, dim)
	q.Slope, q.EventTime, q.NodeTime = other.U, other.P[:events], question(1, 1, nodes).W
	return q
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(1, seed)) }
