package portable

import (
	"fmt"
	"slices"

	"dgsbench/kernels"
)

// Ranking scores candidate destinations of events with a one-layer decoder,
//
//	score(e, v) = sum over j of W[j] relu(U[e,j] + P[v,j]),
//
// where relu lets NaN through. With Slope, candidates move with time: P[v,j] +
// s Slope[v,j] replaces P[v,j], s being EventTime[e] + NodeTime[v]. A constant
// that all scores share is omitted: it changes no rank.
type Ranking[T Float] struct {
	Events, Nodes, Dim int
	U                  []T // Events x Dim
	P                  []T // Nodes x Dim
	W                  []T // Dim

	Slope     []T // Nodes x Dim, or nil
	EventTime []T // Events
	NodeTime  []T // Nodes

	// Candidates are rows of P, ascending, without repetition; nil stands
	// for all of them.
	Candidates []int32
	// True is the true destination of each event, a row of P. It need not
	// be a candidate.
	True []int32
	// Without lists, for each event, candidates that are not negatives of
	// it, ascending; nil excludes none.
	Without [][]int32
}

// NumCandidates is the number of candidates.
func (q *Ranking[T]) NumCandidates() int {
	if q.Candidates == nil {
		return q.Nodes
	}
	return len(q.Candidates)
}

// Candidate is the row of P of candidate i.
func (q *Ranking[T]) Candidate(i int) int32 {
	if q.Candidates == nil {
		return int32(i)
	}
	return q.Candidates[i]
}

// Check panics if sizes, slices and node numbers do not fit together.
func (q *Ranking[T]) Check() {
	if q.Events < 0 || q.Nodes < 0 || q.Dim < 0 || len(q.U) < q.Events*q.Dim || len(q.P) < q.Nodes*q.Dim ||
		len(q.W) < q.Dim || len(q.True) < q.Events || q.Without != nil && len(q.Without) < q.Events {
		panic(fmt.Sprintf("ranking: %d events, %d nodes, dimension %d, but U, P, W, True, Without have %d, %d, %d, %d, %d elements",
			q.Events, q.Nodes, q.Dim, len(q.U), len(q.P), len(q.W), len(q.True), len(q.Without)))
	}
	if q.Slope != nil && (len(q.Slope) < q.Nodes*q.Dim || len(q.EventTime) < q.Events || len(q.NodeTime) < q.Nodes) {
		panic(fmt.Sprintf("ranking: %d events, %d nodes, dimension %d, but Slope, EventTime, NodeTime have %d, %d, %d elements",
			q.Events, q.Nodes, q.Dim, len(q.Slope), len(q.EventTime), len(q.NodeTime)))
	}
	for _, v := range q.True[:q.Events] {
		q.checkNode(v)
	}
	for i, v := range q.Candidates {
		q.checkNode(v)
		if i > 0 && v <= q.Candidates[i-1] {
			panic(fmt.Sprintf("ranking: candidate %d after candidate %d, must ascend", v, q.Candidates[i-1]))
		}
	}
}

func (q *Ranking[T]) checkNode(v int32) {
	if v < 0 || int(v) >= q.Nodes {
		panic(fmt.Sprintf("ranking: node %d of %d", v, q.Nodes))
	}
}

// Excluded calls f once with each candidate that is not a negative of the
// event: its true destination and those of Without.
func (q *Ranking[T]) Excluded(event int, f func(node int32)) {
	truth := q.True[event]
	if q.isCandidate(truth) {
		f(truth)
	}
	if q.Without == nil {
		return
	}
	previous := int32(-1)
	for _, v := range q.Without[event] {
		if v != truth && v != previous && q.isCandidate(v) {
			f(v)
		}
		previous = v
	}
}

func (q *Ranking[T]) isCandidate(v int32) bool {
	if q.Candidates == nil {
		return v >= 0 && int(v) < q.Nodes
	}
	_, found := slices.BinarySearch(q.Candidates, v)
	return found
}

// Score is the score of node v as the event's destination, summed in order.
func (q *Ranking[T]) Score(event int, v int32) T {
	u, p := q.U[event*q.Dim:][:q.Dim], q.P[int(v)*q.Dim:][:q.Dim]
	var sum T
	if q.Slope != nil {
		slope, moved := q.Slope[int(v)*q.Dim:][:q.Dim], q.EventTime[event]+q.NodeTime[v]
		for j, w := range q.W[:len(p)] {
			sum += w * max(fma(moved, slope[j], u[j]+p[j]), 0)
		}
		return sum
	}
	for j, w := range q.W[:len(p)] {
		sum += w * max(u[j]+p[j], 0)
	}
	return sum
}

// Count counts the negatives of events lo to hi-1 that score above the true
// destination and exactly as high. It returns the first of these events with
// a score (of the true destination or of any candidate, excluded or not) that
// is not finite, or -1.
func (q *Ranking[T]) Count(lo, hi int, greater, equal []int32) (bad int) {
	bad = -1
	for e := lo; e < hi; e++ {
		truth := q.Score(e, q.True[e])
		finite := truth-truth == 0
		greater[e], equal[e] = 0, 0
		tally := func(v int32, by int32) {
			score := q.Score(e, v)
			finite = finite && score-score == 0
			if score > truth {
				greater[e] += by
			}
			if score == truth {
				equal[e] += by
			}
		}
		for i := range q.NumCandidates() {
			tally(q.Candidate(i), 1)
		}
		q.Excluded(e, func(v int32) { tally(v, -1) })
		if !finite && bad < 0 {
			bad = e
		}
	}
	return bad
}

// NewRanker returns a ranker for questions of any size.
func (d *Device[T]) NewRanker(int, int) kernels.Ranker { return ranker[T]{d} }

type ranker[T Float] struct{ device *Device[T] }

// Rank counts the negatives that score above and as high.
func (r ranker[T]) Rank(q kernels.Ranking, greater, equal []int32) (bad int) {
	on := r.device.Ranking(q)
	on.Check()
	return on.Count(0, q.Events, greater, equal)
}

// Scores writes the scores of all candidates.
func (r ranker[T]) Scores(q kernels.Ranking, out []float32) {
	on := r.device.Ranking(q)
	on.Check()
	for i, n := 0, on.NumCandidates(); i < q.Events*n; i++ {
		out[i] = float32(on.Score(i/n, on.Candidate(i%n)))
	}
}

// Ranking returns a question on slices.
func (d *Device[T]) Ranking(q kernels.Ranking) Ranking[T] {
	r := Ranking[T]{
		Events: q.Events, Nodes: q.Nodes, Dim: q.Dim, U: d.Elements(q.U), P: d.Elements(q.P), W: d.Elements(q.W),
		Slope: d.Elements(q.Slope), Candidates: q.Candidates, True: q.True, Without: q.Without,
	}
	if q.Slope != nil {
		r.EventTime, r.NodeTime = converted[T](q.EventTime), converted[T](q.NodeTime)
	}
	return r
}

// converted is x, or a copy of another type.
func converted[T Float](x []float32) []T {
	if same, ok := any(x).([]T); ok {
		return same
	}
	out := make([]T, len(x))
	convert(out, x)
	return out
}
