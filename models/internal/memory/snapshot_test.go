package memory_test

import (
	"math"
	"strings"
	"testing"

	"dgsbench/models"
)

// TestRestoreRefusesMessages that no model of this kind has.
func TestRestoreRefusesMessages(t *testing.T) {
	s := testStream(20 * testBatch)
	for name, c := range map[string]struct {
		tensor, message string
		change          func(t *models.Tensor)
	}{
		"a node that is not there": {"messages.others", "has 16 for node 0, expected -1 to 15", func(t *models.Tensor) { t.I64[0] = testNodes }},
		"less than none":           {"messages.others", "has -2 for node 3", func(t *models.Tensor) { t.I64[3] = -2 }},
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
