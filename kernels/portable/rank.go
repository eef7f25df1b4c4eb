package portable

import (
	"slices"

	"dgsbench/kernels"
)

// Question is a [kernels.Ranking] on slices.
type Question[T Float] struct {
	kernels.Ranking
	U, P, W, Slope, EventTime, NodeTime []T
}

// Question returns a ranking on slices.
func (d *Device[T]) Question(q kernels.Ranking) Question[T] {
	return Question[T]{
		q, d.Elements(q.U), d.Elements(q.P), d.Elements(q.W), d.Elements(q.Slope), converted[T](q.EventTime), converted[T](q.NodeTime),
	}
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

// score is the score of node v as the event's destination, summed in order.
func (q *Question[T]) score(event int, v int32) T {
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

// ranker divides the events over the threads.
type ranker[T Float] struct {
	device            *Device[T]
	maxEvents, maxDim int
	q                 Question[T]
	greater, equal    []int32
	finite            []bool // whether all scores of an event are
	count             func(lo, hi int)
}

func (d *Device[T]) NewRanker(maxEvents, maxDim int) kernels.Ranker {
	r := &ranker[T]{device: d, maxEvents: maxEvents, maxDim: maxDim, finite: make([]bool, maxEvents)}
	r.count = r.countEvents
	return r
}

func (r *ranker[T]) Rank(q kernels.Ranking, greater, equal []int32) (bad int) {
	q.Check(r.maxEvents, r.maxDim)
	q.CheckCounts(greater, equal)
	r.q, r.greater, r.equal = r.device.Question(q), greater, equal
	r.device.Divide(q.Events, q.Events*q.NumCandidates()*q.Dim, r.count)
	return slices.Index(r.finite[:q.Events], false)
}

// countEvents counts for events lo to hi-1.
func (r *ranker[T]) countEvents(lo, hi int) {
	for e := lo; e < hi; e++ {
		r.greater[e], r.equal[e], r.finite[e] = kernels.CountAbove(&r.q.Ranking, e, r.q.score)
	}
}

func (r *ranker[T]) Scores(q kernels.Ranking, out []float32) {
	q.Check(r.maxEvents, r.maxDim)
	q.CheckScores(out)
	on := r.device.Question(q)
	for i, n := 0, q.NumCandidates(); i < q.Events*n; i++ {
		out[i] = float32(on.score(i/n, q.Candidate(i%n)))
	}
}
