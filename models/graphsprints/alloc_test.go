package graphsprints

import (
	"testing"

	"dgsbench/models"
	"dgsbench/models/modeltest"
	"dgsbench/protocol"
)

// TestClassifyAllocatesNothing, in either form.
func TestClassifyAllocatesNothing(t *testing.T) {
	s := modeltest.Random(1, 400)
	m, err := New(models.Setup{
		Task: protocol.NodeClassification, NumNodes: s.NumNodes, NumFeat: s.NumFeat, MaxBatch: 200, Train: s, Seed: 1, Threads: 2,
	}, Defaults())
	if err != nil {
		t.Fatal(err)
	}
	lean, err := m.Deploy()
	if err != nil {
		t.Fatal(err)
	}
	logits := make([]float32, 200)
	for name, form := range map[string]models.Model{"plain": m, "deployed": lean} {
		classify := func() {
			for lo := 0; lo < s.Len(); lo += len(logits) {
				if err := form.Classify(s.Slice(lo, lo+len(logits)), logits); err != nil {
					t.Fatal(err)
				}
			}
		}
		classify()
		if n := testing.AllocsPerRun(10, classify); n > 0 {
			t.Errorf("%s: %v allocations a pass", name, n)
		}
	}
}
