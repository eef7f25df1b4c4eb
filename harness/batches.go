package harness

import (
	"iter"

	"dgsbench/datasets"
	"dgsbench/specs"
)

// windows cuts a part into windows of the given size; the last may be
// shorter. Parts are cut one by one, so windows restart at the first event
// of each part, and nothing is ever shuffled.
func windows(part datasets.Stream, size int) iter.Seq[datasets.Stream] {
	return func(yield func(datasets.Stream) bool) {
		for lo := 0; lo < part.Len(); lo += size {
			if !yield(part.Slice(lo, min(lo+size, part.Len()))) {
				return
			}
		}
	}
}

// numWindows is how many windows a part has.
func numWindows(part datasets.Stream, size int) int { return (part.Len() + size - 1) / size }

// batch is what a model is given at once.
type batch struct {
	datasets.Stream
	places []int // of its events in their window; nil for the whole window
}

// batches cuts a window by the rule.
func batches(window datasets.Stream, rule specs.BatchRule) []batch {
	if rule != specs.TBatch {
		return []batch{{Stream: window}}
	}
	var out []batch
	for _, places := range tBatches(window) {
		out = append(out, batch{window.Select(places), places})
	}
	return out
}

// tBatches are the places of the events of each t-batch, ascending
// (semantics 3): an event is in the t-batch after the last one that has a
// node of it. So a node is in each at most once, and its events stay in
// order.
func tBatches(window datasets.Stream) [][]int {
	var out [][]int
	next := map[int32]int{} // the first t-batch that a node may be in
	for k := range window.Len() {
		u, v := window.Src[k], window.Dst[k]
		b := max(next[u], next[v])
		if b == len(out) {
			out = append(out, nil)
		}
		out[b] = append(out[b], k)
		next[u], next[v] = b+1, b+1
	}
	return out
}
