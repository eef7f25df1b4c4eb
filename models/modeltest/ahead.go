package modeltest

import (
	"testing"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/protocol"
)

// checkAhead holds the answers to batches that are known in advance, where a
// model gives them, against those to one batch after the other.
func (s subject) checkAhead(t *testing.T) {
	if _, ok := s.build(t, Random(8, events), 1, 1).(models.Ahead); !ok || s.task != protocol.NodeClassification {
		return
	}
	t.Run("ahead: same answers", func(t *testing.T) {
		for _, size := range []int{1, batch - 1, batch} {
			s.inBatches(size).aheadAgrees(t)
		}
	})
}

// aheadAgrees: also where parameters change in between.
func (s subject) aheadAgrees(t *testing.T) {
	stream := Random(8, events)
	half, rest := stream.Slice(0, events/2), stream.Slice(events/2, events).WithoutLabels()
	one, ahead := s.trained(t, stream, 1, 1), s.trained(t, stream, 1, 3)
	agree := func(what string) {
		t.Helper()
		equal(t, what, s.evaluateAhead(t, ahead, rest), s.evaluate(t, one, rest))
	}
	agree("logits")
	other := s.trained(t, stream, 2, 1).Snapshot(models.Everything)
	for _, m := range []models.Model{one, ahead} {
		if err := m.Restore(other); err != nil {
			t.Fatal(err)
		}
	}
	agree("logits with other parameters")
	for _, m := range []models.Model{one, ahead} {
		s.train(t, m, half)
	}
	agree("logits after further training")
	equal(t, "logits from the state that it leaves", s.evaluate(t, ahead, rest), s.evaluate(t, one, rest))
}

// evaluateAhead is evaluate on a stream that is known in advance.
func (s subject) evaluateAhead(t *testing.T, m models.Model, stream datasets.Stream) []float32 {
	t.Helper()
	out := make([]float32, stream.Len())
	if err := m.(models.Ahead).ClassifyAhead(stream.WithoutLabels(), s.batch, out); err != nil {
		t.Fatal(err)
	}
	return out
}
