package models

import "dgsbench/datasets"

// Counter counts, for one event, the negatives above and level with the
// true destination.
type Counter struct {
	event          int
	dst            int32
	without        []int32
	positive       float32
	greater, equal int32
	bad            bool
	badScore       float32
}

// NewCounter starts counting for event k of the batch, whose true
// destination has the given score.
func NewCounter(b datasets.Stream, k int, c Candidates, positive float32) *Counter {
	n := &Counter{event: b.EventID(k), dst: b.Dst[k], positive: positive}
	if c.Without != nil {
		n.without = c.Without[k]
	}
	n.check(positive)
	return n
}

// Add counts candidate v with the given score. Candidates come in ascending
// order; the true destination and the excluded nodes are skipped here.
func (n *Counter) Add(v int32, score float32) {
	for len(n.without) > 0 && n.without[0] < v {
		n.without = n.without[1:]
	}
	if v == n.dst || len(n.without) > 0 && n.without[0] == v {
		return
	}
	n.check(score)
	if score > n.positive {
		n.greater++
	} else if score == n.positive {
		n.equal++
	}
}

// check remembers a score that is NaN or infinite: only those differ from
// themselves by something other than zero.
func (n *Counter) check(score float32) {
	if score-score != 0 {
		n.bad, n.badScore = true, score
	}
}

// Counts returns the result, or the score that was not finite.
func (n *Counter) Counts() (greater, equal int32, err *BadScore) {
	if n.bad {
		return 0, 0, &BadScore{Event: n.event, Score: float64(n.badScore)}
	}
	return n.greater, n.equal, nil
}
