package memory_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"dgsbench/datasets"
	"dgsbench/models"
)

// TestRestoreRefusesMessages that no model of this kind has.
func TestRestoreRefusesMessages(t *testing.T) {
	s := testStream(20 * testBatch)
	for name, c := range map[string]struct {
		tensor, message string
		change          func(t *models.Tensor)
	}{
		"a node that is not there": {"messages.others", "number 0 is 16, expected -1 to 15", func(t *models.Tensor) { t.I64[0] = testNodes }},
		"less than none":           {"messages.others", "number 3 is -2", func(t *models.Tensor) { t.I64[3] = -2 }},
		"one node less":            {"messages.others", "does not fit", func(t *models.Tensor) { t.I64 = t.I64[1:] }},
		"a time beyond all":        {"messages.times", "expected one within", func(t *models.Tensor) { t.I64[0] = int64(math.Float64bits(1e300)) }},
		"a feature beyond all":     {"messages.features", "beyond", func(t *models.Tensor) { t.F32[0] = 1e20 }},
		"a feature less":           {"messages.features", "does not fit", func(t *models.Tensor) { t.F32 = t.F32[1:] }},
	} {
		t.Run(name, func(t *testing.T) {
			m := newTestModel(t, testConfigs(.1)["tgn-id"], s)
			snap := m.Snapshot(models.Everything)
			for i := range snap.State {
				if snap.State[i].Name == c.tensor {
					c.change(&snap.State[i])
				}
			}
			if err := m.Restore(snap); err == nil || !strings.Contains(err.Error(), c.message) || !strings.Contains(err.Error(), c.tensor) {
				t.Errorf("error is %v, expected one with %q", err, c.message)
			}
		})
	}
}

// TestSnapshotOfFewMessages: a snapshot has the features of nodes with a message
// alone, none before the first event, and a restored model continues as the first.
func TestSnapshotOfFewMessages(t *testing.T) {
	s := testStream(3 * testBatch)
	first, second := newTestModel(t, testConfigs(0)["tgn-id"], s), newTestModel(t, testConfigs(0)["tgn-id"], s)
	train := func(m models.Model, b datasets.Stream) float64 {
		loss, err := m.Train(b, b.Dst)
		if err != nil {
			t.Fatal(err)
		}
		return loss
	}
	features := func(snap models.Snapshot) models.Tensor {
		i := slices.IndexFunc(snap.State, func(t models.Tensor) bool { return t.Name == "messages.features" })
		return snap.State[i]
	}
	first.Reset()
	if got := features(first.Snapshot(models.Everything)); len(got.F32) != 0 || got.Shape[0] != 0 {
		t.Errorf("before the first event the features are %v", got)
	}
	train(first, s.Slice(0, 1))
	train(first, s.Slice(0, 1)) // moves the messages to other rows
	snap := first.Snapshot(models.Everything)
	want := slices.Concat(s.Features(0), s.Features(0))
	if got := features(snap); got.Shape[0] != 2 || !slices.Equal(got.F32, want) {
		t.Errorf("after one event the features are %v of %s, expected %v", got.F32, got, want)
	}
	if err := second.Restore(snap); err != nil {
		t.Fatal(err)
	}
	b := s.Slice(1, testBatch)
	if got, want := train(second, b), train(first, b); got != want {
		t.Errorf("the restored model's loss is %v, expected %v", got, want)
	}
	snap.State = snap.State[1:]
	if err := second.Restore(snap); err == nil || !strings.HasPrefix(err.Error(), "snapshot has 5 tensors, expected 6: [memory last_update") {
		t.Errorf("error is %v for a tensor less", err)
	}
}
