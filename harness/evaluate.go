package harness

import (
	"context"
	"fmt"

	"dgsbench/datasets"
	"dgsbench/metrics"
	"dgsbench/models"
	"dgsbench/specs"
)

// window returns window k of a part; the last one may be shorter. Windows restart at
// the first event of each part, and nothing is ever shuffled.
func window(part datasets.Stream, size, k int) datasets.Stream {
	return part.Slice(k*size, min((k+1)*size, part.Len()))
}

// numWindows returns the number of windows of a part.
func numWindows(part datasets.Stream, size int) int { return (part.Len() + size - 1) / size }

// batch is what a model is given in one call.
type batch struct {
	datasets.Stream
	index []int // of its events in their window; nil for the whole window
}

// batches cuts a window by the rule.
func batches(window datasets.Stream, rule specs.BatchRule) []batch {
	if rule != specs.TBatch {
		return []batch{{Stream: window}}
	}
	var out []batch
	for _, index := range tBatches(window) {
		out = append(out, batch{window.Select(index), index})
	}
	return out
}

// tBatches returns the indices of the events of each t-batch, ascending
// (semantics 3): an event is in the t-batch after the last one that has a node
// of it. So a node is in each at most once, and its events stay in order.
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

// eachWindow calls f with every window of the part, of a size, and the index of its
// first event, until ctx is cancelled.
func (r *run) eachWindow(ctx context.Context, part datasets.Stream, size int, f func(lo int, w datasets.Stream) error) error {
	for k := range numWindows(part, size) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f(k*size, window(part, size, k)); err != nil {
			return err
		}
		r.tick()
	}
	return nil
}

// eachBatch calls f with every batch of the part's windows, without labels, and the
// index of the first event of its window. Before a window, the model Learns
// what has become known. A t-batch would be too small a step: the labels of its
// events would come before an earlier event of the window has been classified.
func (r *run) eachBatch(ctx context.Context, part datasets.Stream, size int, f func(lo int, b batch) error) error {
	return r.eachWindow(ctx, part, size, func(lo int, w datasets.Stream) error {
		if err := r.tell(w); err != nil {
			return err
		}
		for _, b := range batches(w.WithoutLabels(), r.spec.Protocol.WithinBatch) {
			if err := f(lo, b); err != nil {
				return err
			}
		}
		return nil
	})
}

// observe updates the states with a part without asking anything.
func (r *run) observe(ctx context.Context, part datasets.Stream) error {
	return r.eachBatch(ctx, part, r.spec.Protocol.Batch, func(_ int, b batch) error { return r.model.Observe(b.Stream) })
}

// classify collects a score an event, with its label. The model never gets hold of
// them, but of a copy.
func (r *run) classify(ctx context.Context, part datasets.Stream, size int) (metrics.Facts, error) {
	f := metrics.Facts{
		Score: make([]float32, part.Len()), Label: part.Label, Days: metrics.DaysOf(part.Time, r.parts.Whole.Time), LogOdds: r.spec.Kind.LogOdds,
	}
	buffer := make([]float32, min(size, part.Len()))
	err := r.eachBatch(ctx, part, size, func(lo int, b batch) error {
		window, scores := f.Score[lo:], buffer[:b.Len():b.Len()]
		clear(scores)
		if err := r.model.Classify(b.Stream, scores); err != nil {
			return err
		}
		if err := models.CheckScores(b.Stream, scores); err != nil {
			return err
		}
		if b.index == nil {
			copy(window, scores)
		}
		for i, k := range b.index {
			window[k] = scores[i]
		}
		return nil
	})
	return f, err
}

// rank collects, for every candidate set, the counts of the scored events.
// Each batch is ranked from the states before it, which are then updated.
// without holds, by event, nodes that are no negatives; nil for none.
func (r *run) rank(ctx context.Context, part datasets.Stream, size int, sets []candidateSet, without [][]int32) ([]metrics.Facts, error) {
	facts, sums := make([]metrics.Facts, len(sets)), make([]uint64, len(sets))
	scored := r.parts.NumScored(part)
	for i, set := range sets {
		facts[i] = metrics.Facts{Greater: make([]int32, 0, scored), Equal: make([]int32, 0, scored)}
		if scored > 0 { // an empty column is not written
			facts[i].Against = make([]int32, 0, scored)
		}
		sums[i] = set.checksum()
	}
	err := r.eachWindow(ctx, part.WithoutLabels(), size, func(lo int, b datasets.Stream) error {
		asked, excluded := r.asked(b, lo, without)
		for i, set := range sets {
			if err := r.rankBatch(asked, models.Candidates{Nodes: set.nodes, Without: excluded}, &facts[i]); err != nil {
				return err
			}
		}
		return r.model.Observe(b)
	})
	if err != nil {
		return nil, err
	}
	for i, set := range sets {
		if set.checksum() != sums[i] {
			return nil, fmt.Errorf("the candidates %s have changed: the model wrote to them in Rank", set.name)
		}
	}
	return facts, nil
}

// asked returns the events of batch b that are ranked, without features: they are
// unknown before the edge. The batch starts at event lo of its part. It also
// returns what without has for these events.
func (r *run) asked(b datasets.Stream, lo int, without [][]int32) (datasets.Stream, [][]int32) {
	asked := b.WithFeatures(nil, 0)
	if without != nil {
		without = without[lo : lo+b.Len()]
	}
	if r.parts.NewNode == nil {
		return asked, without
	}
	var events []int
	var left [][]int32
	for k := range b.Len() {
		if !r.parts.Scored(b.Src[k], b.Dst[k]) {
			continue
		}
		events = append(events, k)
		if without != nil {
			left = append(left, without[k])
		}
	}
	return asked.Select(events), left
}

// rankBatch adds the counts of a batch's events to the facts.
func (r *run) rankBatch(b datasets.Stream, c models.Candidates, into *metrics.Facts) error {
	if b.Len() == 0 {
		return nil
	}
	out := models.Counts{Greater: make([]int32, b.Len()), Equal: make([]int32, b.Len())}
	if err := r.model.Rank(b, c, out); err != nil {
		return err
	}
	into.Greater = append(into.Greater, out.Greater...)
	into.Equal = append(into.Equal, out.Equal...)
	for k, dst := range b.Dst {
		into.Against = append(into.Against, numNegatives(c, k, dst))
	}
	return nil
}
