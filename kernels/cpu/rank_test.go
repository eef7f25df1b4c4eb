package cpu_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"dgsbench/kernels"
	"dgsbench/kernels/cpu"
)

// eachRanker runs f at every level with one to three threads.
func eachRanker(q ranking, f func(name string, k cpu.Kernels, r kernels.Ranker)) {
	for _, k := range cpu.Available() {
		for threads := 1; threads <= 3; threads++ {
			f(fmt.Sprintf("%s, %d threads", k.Level(), threads), k, cpu.NewDevice(k, threads).NewRanker(q.Events+3, q.Dim+2))
		}
	}
}

// drawRanking draws a ranking with small whole numbers, whose scores are
// exact and often equal, with some of the nodes as candidates and
// exclusions.
func drawRanking(t *rapid.T) ranking {
	q := ranking{Ranking: kernels.Ranking{
		Events: rapid.IntRange(0, 150).Draw(t, "events"),
		Nodes:  rapid.IntRange(1, 300).Draw(t, "nodes"),
		Dim:    rapid.IntRange(0, 40).Draw(t, "dim"),
	}}
	rng := newRand(rapid.Uint64().Draw(t, "seed"))
	whole := func(n int) numbers {
		x := make(numbers, n)
		for i := range x {
			x[i] = float32(rng.IntN(5) - 2)
		}
		return x
	}
	offset := rapid.IntRange(0, 3).Draw(t, "offset")
	q.U, q.P, q.W = whole(offset + q.Events*q.Dim)[offset:], whole(offset + q.Nodes*q.Dim)[offset:], whole(offset + q.Dim)[offset:]
	if rapid.Bool().Draw(t, "moving") {
		q.Slope, q.EventTime, q.NodeTime = whole(offset + q.Nodes*q.Dim)[offset:], whole(q.Events), whole(q.Nodes)
	}
	subset := func(share float64) []int32 {
		nodes := []int32{}
		for v := range q.Nodes {
			if rng.Float64() < share {
				nodes = append(nodes, int32(v))
			}
		}
		return nodes
	}
	if rapid.Bool().Draw(t, "some") {
		q.Candidates = subset(0.7)
	}
	without := rapid.Bool().Draw(t, "without")
	for range q.Events {
		q.True = append(q.True, int32(rng.IntN(q.Nodes)))
		if without {
			q.Without = append(q.Without, subset(0.05))
		}
	}
	return q
}

// wholeScore is the score of a pair of whole numbers.
func wholeScore(q ranking, e int, v int32) int {
	sum := 0
	for j := range q.Dim {
		sum += int(q.W[j]) * max(int(q.U[e*q.Dim+j])+int(exactPart(q, e, int(v), j)), 0)
	}
	return sum
}

// exactPart is P of a candidate at the time of an event.
func exactPart(q ranking, e, v, j int) float64 {
	p := float64(q.P[v*q.Dim+j])
	if q.Slope != nil {
		p += float64(q.EventTime[e]+q.NodeTime[v]) * float64(q.Slope[v*q.Dim+j])
	}
	return p
}

func TestRankCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := drawRanking(t)
		greater, equal := make([]int32, q.Events), make([]int32, q.Events)
		for e := range q.Events {
			truth := wholeScore(q, e, q.True[e])
			for v := range int32(q.Nodes) {
				if v == q.True[e] || q.Candidates != nil && !slices.Contains(q.Candidates, v) ||
					q.Without != nil && slices.Contains(q.Without[e], v) {
					continue
				}
				switch score := wholeScore(q, e, v); {
				case score > truth:
					greater[e]++
				case score == truth:
					equal[e]++
				}
			}
		}
		eachRanker(q, func(name string, _ cpu.Kernels, r kernels.Ranker) {
			for range 2 { // nothing is left over from the first time
				gotGreater, gotEqual := make([]int32, q.Events), make([]int32, q.Events)
				if bad := r.Rank(q.ask(), gotGreater, gotEqual); bad != -1 {
					t.Fatalf("%s: event %d has a score that is not finite", name, bad)
				}
				if diff := cmp.Diff([][]int32{greater, equal}, [][]int32{gotGreater, gotEqual}); diff != "" {
					t.Fatalf("%s: %s", name, diff)
				}
			}
		})
	})
}

// Scores are within the bound of a sum in order (one rounding for u + p, and
// in portable Go one for the product, and one for each addition) of those in
// float64. Their bits are the same at every level but the portable one, and
// Rank counts by them.
func TestRankScores(t *testing.T) {
	for _, size := range [][3]int{{1, 1, 1}, {3, 5, 7}, {16, 17, 100}, {37, 131, 33}, {200, 300, 100}, {65, 40, 301}} {
		for _, q := range []ranking{question(size[0], size[1], size[2]), moving(size[0], size[1], size[2])} {
			checkRankScores(t, q)
		}
	}
}

func checkRankScores(t *testing.T, q ranking) {
	last := q.Nodes - 1
	copy(q.P[:q.Dim], q.P[last*q.Dim:]) // the first node ties with the last
	if q.Slope != nil {
		copy(q.Slope[:q.Dim], q.Slope[last*q.Dim:])
		q.NodeTime[0] = q.NodeTime[last]
	}
	q.True[0] = 0
	var bits []float32
	eachRanker(q, func(name string, k cpu.Kernels, r kernels.Ranker) {
		scores := make([]float32, q.Events*q.Nodes)
		r.Scores(q.ask(), scores)
		checkScores(t, name, q, scores)
		if k.Level() != cpu.Portable {
			if bits == nil {
				bits = scores
			}
			if !slices.Equal(bits, scores) {
				t.Errorf("%s, %d x %d x %d: other bits: %s", name, q.Events, q.Nodes, q.Dim, cmp.Diff(bits, scores))
			}
		}
		checkCounts(t, name, q, r, scores)
	})
}

func checkScores(t *testing.T, name string, q ranking, scores []float32) {
	t.Helper()
	for at, score := range scores {
		e, v := at/q.Nodes, at%q.Nodes
		want, size := 0.0, 0.0
		for j, w := range q.W {
			u, p := float64(q.U[e*q.Dim+j]), exactPart(q, e, v, j)
			x := float64(w) * max(u+p, 0)
			want += x
			if q.Slope == nil {
				size += math.Abs(x)
			} else { // p is rounded by itself
				size += math.Abs(float64(w)) * (math.Abs(u) + 2*math.Abs(p))
			}
		}
		if tolerance := float64(q.Dim+2) * 0x1p-24 * size; !(math.Abs(float64(score)-want) <= tolerance) {
			t.Fatalf("%s: score of event %d, node %d: %v, want %v within %v", name, e, v, score, want, tolerance)
		}
	}
}

// checkCounts compares Rank with counts taken from the scores.
func checkCounts(t *testing.T, name string, q ranking, r kernels.Ranker, scores []float32) {
	t.Helper()
	greater, equal := make([]int32, q.Events), make([]int32, q.Events)
	bad := r.Rank(q.ask(), greater, equal)
	if bad != -1 {
		t.Errorf("%s: event %d has a score that is not finite", name, bad)
	}
	if q.Nodes > 1 && equal[0] == 0 {
		t.Errorf("%s: equal rows do not tie", name)
	}
	for e := range q.Events {
		wantGreater, wantEqual := int32(0), int32(-1) // the true destination
		row := scores[e*q.Nodes:][:q.Nodes]
		for _, score := range row {
			if score > row[q.True[e]] {
				wantGreater++
			}
			if score == row[q.True[e]] {
				wantEqual++
			}
		}
		if greater[e] != wantGreater || equal[e] != wantEqual {
			t.Errorf("%s: event %d counts %d, %d, want %d, %d", name, e, greater[e], equal[e], wantGreater, wantEqual)
		}
	}
}
