package harness

import (
	"context"

	"dgsbench/datasets"
	"dgsbench/metrics"
	"dgsbench/models"
	"dgsbench/specs"
)

// evaluator asks a model about the events of a part and folds them in.
type evaluator struct {
	model models.Model
	size  int // of a window
	rule  specs.BatchRule
	tick  func() // called after every window
}

// observe folds a part in without asking anything.
func (e *evaluator) observe(ctx context.Context, part datasets.Stream) error {
	for w := range windows(part, e.size) {
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, b := range batches(w, e.rule) {
			if err := e.model.Observe(b.Stream); err != nil {
				return err
			}
		}
		e.tick()
	}
	return nil
}

// classify collects a score an event, with its label.
func (e *evaluator) classify(ctx context.Context, part datasets.Stream) (metrics.Facts, error) {
	f := metrics.Facts{Score: make([]float32, part.Len()), Label: part.Label}
	lo := 0
	for w := range windows(part, e.size) {
		if err := ctx.Err(); err != nil {
			return f, err
		}
		for _, b := range batches(w, e.rule) {
			if err := e.classifyBatch(b, f.Score[lo:lo+w.Len()]); err != nil {
				return f, err
			}
		}
		lo += w.Len()
		e.tick()
	}
	return f, nil
}

// classifyBatch writes the scores to their places in the window.
func (e *evaluator) classifyBatch(b batch, window []float32) error {
	if b.places == nil {
		return e.model.Classify(b.Stream, window)
	}
	scores := make([]float32, b.Len())
	if err := e.model.Classify(b.Stream, scores); err != nil {
		return err
	}
	for i, k := range b.places {
		window[k] = scores[i]
	}
	return nil
}

// questions says which events of a part are ranked, and against what.
type questions struct {
	asked   []bool // nil asks about every event
	without [][]int32
	sets    []candidateSet
}

// rank collects, for every candidate set, the counts of the asked events.
// Each batch is ranked from the state before it and then folded in.
func (e *evaluator) rank(ctx context.Context, part datasets.Stream, q questions) ([]metrics.Facts, error) {
	facts := make([]metrics.Facts, len(q.sets))
	lo := 0
	for b := range windows(part, e.size) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		asked, without := q.of(b, lo)
		for i, set := range q.sets {
			if err := e.rankBatch(asked, models.Candidates{Nodes: set.nodes, Without: without}, &facts[i]); err != nil {
				return nil, err
			}
		}
		if err := e.model.Observe(b); err != nil {
			return nil, err
		}
		lo += b.Len()
		e.tick()
	}
	return facts, nil
}

// of is the asked part of batch b, which starts at event lo of its part,
// without features: they are unknown before the edge.
func (q questions) of(b datasets.Stream, lo int) (datasets.Stream, [][]int32) {
	asked := b.WithFeatures(nil, 0)
	without := q.without
	if without != nil {
		without = without[lo : lo+b.Len()]
	}
	if q.asked == nil {
		return asked, without
	}
	var events []int
	var left [][]int32
	for k := range b.Len() {
		if !q.asked[lo+k] {
			continue
		}
		events = append(events, k)
		if without != nil {
			left = append(left, without[k])
		}
	}
	return asked.Select(events), left
}

func (e *evaluator) rankBatch(b datasets.Stream, c models.Candidates, into *metrics.Facts) error {
	if b.Len() == 0 {
		return nil
	}
	out := models.Counts{Greater: make([]int32, b.Len()), Equal: make([]int32, b.Len())}
	if err := e.model.Rank(b, c, out); err != nil {
		return err
	}
	into.Greater = append(into.Greater, out.Greater...)
	into.Equal = append(into.Equal, out.Equal...)
	return nil
}
