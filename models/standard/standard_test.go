package standard

import (
	"slices"
	"testing"

	"dgsbench/models"
	"dgsbench/models/graphsprints"
	"dgsbench/models/heuristic"
	"dgsbench/models/modeltest"
	"dgsbench/protocol"
)

func TestConformance(t *testing.T) {
	for _, name := range models.Names() {
		kind, err := models.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) { modeltest.Check(t, kind, kind.Options()) })
	}
}

// TestHistory: a stream whose labels need memory is learnt by every model
// that has one, and by no other.
func TestHistory(t *testing.T) {
	for _, name := range models.Names() {
		kind, _ := models.Lookup(name)
		if !kind.Trainable() || !kind.Supports(protocol.NodeClassification) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			auc := modeltest.HistoryAUC(t, kind, kind.Options())
			t.Logf("AUC %.3f", auc)
			if kind.Memory && auc < .8 {
				t.Errorf("AUC %.3f with memory, expected above .8", auc)
			}
			if !kind.Memory && auc > .55 {
				t.Errorf("AUC %.3f without memory, expected below .55", auc)
			}
		})
	}
}

func TestOptionsAreWired(t *testing.T) {
	kind, err := models.Lookup("graphsprints")
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []func(*graphsprints.Options){
		func(o *graphsprints.Options) { o.Alpha = .3 },
		func(o *graphsprints.Options) { o.Beta = .3 },
		func(o *graphsprints.Options) { o.Buckets = 4 },
		func(o *graphsprints.Options) { o.Head.Hidden = []int{100, 50} },
		func(o *graphsprints.Options) { o.Head.Dropout = .3 },
		func(o *graphsprints.Options) { o.Head.LR = 1e-2 },
		func(o *graphsprints.Options) { o.Head.WeightDecay = 1e-2 },
	} {
		other := graphsprints.Defaults()
		other.Head.Hidden = slices.Clone(other.Head.Hidden)
		change(other)
		modeltest.Differ(t, kind, graphsprints.Defaults(), other)
	}
	edgebank, err := models.Lookup("edgebank")
	if err != nil {
		t.Fatal(err)
	}
	modeltest.Differ(t, edgebank, &heuristic.EdgeBankOptions{}, &heuristic.EdgeBankOptions{Window: .1})
}
