package kernels

import (
	"fmt"
	"slices"
)

// Ranking asks how the true destinations of events rank among candidates,
// with score(e, v) = sum over j of W[j] relu(U[e,j] + P[v,j]), where relu lets
// NaN through. A constant that all scores share is left out: it changes no rank.
type Ranking struct {
	Events, Nodes, Dim int
	U, P, W            Buffer // Events x Dim, Nodes x Dim, Dim
	// Slope (Nodes x Dim), if it is not nil, moves the candidates with time:
	// P[v,j] + s Slope[v,j] replaces P[v,j], s being EventTime[e] + NodeTime[v].
	Slope     Buffer
	EventTime []float32 // Events
	NodeTime  []float32 // Nodes
	// Candidates are rows of P, ascending, without repetition; nil stands for
	// all of them.
	Candidates []int32
	// True is the true destination of each event, a row of P. It need not be a
	// candidate.
	True []int32
	// Without lists, for each event, candidates that are not negatives of
	// it, ascending; nil excludes none.
	Without [][]int32
}

// Ranker answers rankings; scores never leave the device.
type Ranker interface {
	// Rank counts, for every event, the negatives that score above its true
	// destination and exactly as high. It returns the first event with a score
	// (of its true destination or of any candidate, excluded or not) that is
	// not finite, whose counts mean nothing, or -1.
	Rank(q Ranking, greater, equal []int32) (bad int)
	// Scores writes the scores that Rank compares, Events x NumCandidates. For
	// tests and small exports.
	Scores(q Ranking, out []float32)
}

// NumCandidates is the number of candidates.
func (q *Ranking) NumCandidates() int {
	if q.Candidates == nil {
		return q.Nodes
	}
	return len(q.Candidates)
}

// Candidate is the row of P of candidate i.
func (q *Ranking) Candidate(i int) int32 {
	if q.Candidates == nil {
		return int32(i)
	}
	return q.Candidates[i]
}

// Excluded calls f once with each candidate that is not a negative of the
// event: its true destination and those of Without.
func (q *Ranking) Excluded(event int, f func(node int32)) {
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

// CountAbove counts the negatives of an event whose score is greater than, or
// equal to, that of the true destination. finite is false if any score is not.
func CountAbove[T float32 | float64](q *Ranking, event int, score func(event int, node int32) T) (greater, equal int32, finite bool) {
	truth := score(event, q.True[event])
	finite = truth-truth == 0
	tally := func(v int32, by int32) {
		x := score(event, v)
		finite = finite && x-x == 0
		if x > truth {
			greater += by
		} else if x == truth {
			equal += by
		}
	}
	for i := range q.NumCandidates() {
		tally(q.Candidate(i), 1)
	}
	q.Excluded(event, func(v int32) { tally(v, -1) })
	return greater, equal, finite
}

func (q *Ranking) isCandidate(v int32) bool {
	if q.Candidates == nil {
		return v >= 0 && int(v) < q.Nodes
	}
	_, found := slices.BinarySearch(q.Candidates, v)
	return found
}

// Check panics if sizes, buffers and node numbers do not fit together, or do
// not fit a ranker for at most maxEvents events and maxDim dimensions.
func (q *Ranking) Check(maxEvents, maxDim int) {
	if q.Events > maxEvents || q.Dim > maxDim {
		panic(fmt.Sprintf("ranking: %d events of dimension %d, made for %d of %d", q.Events, q.Dim, maxEvents, maxDim))
	}
	if q.Events < 0 || q.Nodes < 0 || q.Dim < 0 || q.U.Len() < q.Events*q.Dim || q.P.Len() < q.Nodes*q.Dim ||
		q.W.Len() < q.Dim || len(q.True) < q.Events || q.Without != nil && len(q.Without) < q.Events {
		panic(fmt.Sprintf("ranking: %d events, %d nodes, dimension %d, but U, P, W, True, Without have %d, %d, %d, %d, %d elements",
			q.Events, q.Nodes, q.Dim, q.U.Len(), q.P.Len(), q.W.Len(), len(q.True), len(q.Without)))
	}
	if q.Slope != nil && (q.Slope.Len() < q.Nodes*q.Dim || len(q.EventTime) < q.Events || len(q.NodeTime) < q.Nodes) {
		panic(fmt.Sprintf("ranking: %d events, %d nodes, dimension %d, but Slope, EventTime, NodeTime have %d, %d, %d elements",
			q.Events, q.Nodes, q.Dim, q.Slope.Len(), len(q.EventTime), len(q.NodeTime)))
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

func (q *Ranking) checkNode(v int32) {
	if v < 0 || int(v) >= q.Nodes {
		panic(fmt.Sprintf("ranking: node %d of %d", v, q.Nodes))
	}
}

// CheckCounts panics if there are not counts for all events.
func (q *Ranking) CheckCounts(greater, equal []int32) {
	if len(greater) < q.Events || len(equal) < q.Events {
		panic(fmt.Sprintf("ranking: %d and %d counts for %d events", len(greater), len(equal), q.Events))
	}
}

// CheckScores panics if there are not scores for all pairs.
func (q *Ranking) CheckScores(scores []float32) {
	if n := q.NumCandidates(); len(scores) < q.Events*n {
		panic(fmt.Sprintf("ranking: %d scores for %d events and %d candidates", len(scores), q.Events, n))
	}
}
