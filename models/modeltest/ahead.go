package modeltest

import (
	"testing"

	"dgsbench/models"
)

// checkAhead holds the answers to batches that are known in advance, where a
// model gives them, against those to one batch after the other.
func (s subject) checkAhead(t *testing.T) {
	if _, ok := s.build(t, Random(8, events), 1, 1).(models.Ahead); !ok || s.task != models.NodeClassification {
		return
	}
	t.Run("ahead: same answers", func(t *testing.T) {
		stream := Random(8, events)
		half := events / 2
		for _, size := range []int{1, batch - 1, batch} {
			one, ahead := s.trained(t, stream, 1, 1), s.trained(t, stream, 1, 3)
			for range 2 { // parameters change in between
				rest := stream.Slice(half, events)
				want, got := make([]float32, rest.Len()), make([]float32, rest.Len())
				for lo := 0; lo < rest.Len(); lo += size {
					hi := min(lo+size, rest.Len())
					if err := one.Classify(rest.Slice(lo, hi), want[lo:hi]); err != nil {
						t.Fatal(err)
					}
				}
				if err := ahead.(models.Ahead).ClassifyAhead(rest, size, got); err != nil {
					t.Fatal(err)
				}
				equal(t, "logits", got, want)
				for _, m := range []models.Model{one, ahead} {
					s.train(t, m, stream.Slice(0, half))
				}
				equal(t, "logits after further training", s.evaluate(t, ahead, rest), s.evaluate(t, one, rest))
			}
		}
	})
}
