package harness

import (
	"context"
	"fmt"
	"slices"

	"dgsbench/datasets"
	"dgsbench/metrics"
	"dgsbench/models"
	"dgsbench/protocol"
	"dgsbench/specs"
)

// evaluator asks a model about the events of a part and folds them in. The
// model is given no labels before it has answered: in classification it
// Learns those of a window when the window is over.
type evaluator struct {
	model models.Model
	task  protocol.Task
	size  int // of a window
	rule  specs.BatchRule
	tick  func() // called after every window

	scores []float32 // of a batch
}

// observe folds a part in without asking anything.
func (e *evaluator) observe(ctx context.Context, part datasets.Stream) error {
	for w := range windows(part, e.size) {
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, b := range batches(w.WithoutLabels(), e.rule) {
			if err := e.model.Observe(b.Stream); err != nil {
				return err
			}
		}
		if err := e.reveal(w); err != nil {
			return err
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
		for _, b := range batches(w.WithoutLabels(), e.rule) {
			if err := e.classifyBatch(b, f.Score[lo:lo+w.Len()]); err != nil {
				return f, err
			}
		}
		if err := e.reveal(w); err != nil {
			return f, err
		}
		lo += w.Len()
		e.tick()
	}
	return f, nil
}

// reveal makes the labels of a window known. That of a t-batch's event would
// come before an earlier event of the window has been classified.
func (e *evaluator) reveal(window datasets.Stream) error {
	if e.task != protocol.NodeClassification {
		return nil
	}
	return models.Reveal(e.model, window)
}

// classifyBatch writes the scores to their places in the window, which the
// model never gets hold of.
func (e *evaluator) classifyBatch(b batch, window []float32) error {
	if cap(e.scores) < b.Len() {
		e.scores = make([]float32, b.Len())
	}
	scores := e.scores[:b.Len():b.Len()]
	clear(scores)
	if err := e.model.Classify(b.Stream, scores); err != nil {
		return err
	}
	if err := models.CheckScores(b.Stream, scores); err != nil {
		return err
	}
	if b.places == nil {
		copy(window, scores)
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
	facts, asked := make([]metrics.Facts, len(q.sets)), q.count(part)
	for i := range facts {
		facts[i].Greater, facts[i].Equal = make([]int32, 0, asked), make([]int32, 0, asked)
		facts[i].Against = slices.Grow(facts[i].Against, asked)
	}
	sums := make([]uint64, len(q.sets))
	for i, set := range q.sets {
		sums[i] = set.checksum()
	}
	lo := 0
	for b := range windows(part.WithoutLabels(), e.size) {
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
	for i, set := range q.sets {
		if set.checksum() != sums[i] {
			return nil, fmt.Errorf("the candidates %s have changed: the model wrote to them in Rank", set.name)
		}
	}
	return facts, nil
}

// count is how many events of the part are asked about.
func (q questions) count(part datasets.Stream) (n int) {
	if q.asked == nil {
		return part.Len()
	}
	for _, yes := range q.asked {
		if yes {
			n++
		}
	}
	return n
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
	for k, dst := range b.Dst {
		into.Against = append(into.Against, numNegatives(c, k, dst))
	}
	return nil
}
