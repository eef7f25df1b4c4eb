package standard

import (
	"slices"
	"testing"

	"dgsbench/kernels/cpu"
	"dgsbench/models"
	"dgsbench/models/graphsprints"
	"dgsbench/models/heuristic"
	"dgsbench/models/modeltest"
	"dgsbench/protocol"
)

// shipped are the learned models of this repository. What a test demands of them
// beyond modeltest.Check is not demanded of others.
var shipped = []string{"dgs", "graphsprints", "jodie", "raw", "tgn"}

// eachShipped runs test for the shipped models.
func eachShipped(t *testing.T, test func(t *testing.T, kind models.Kind)) {
	for _, name := range shipped {
		kind, err := models.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) { test(t, kind) })
	}
}

func TestConformance(t *testing.T) {
	for _, name := range models.Names() {
		kind, err := models.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) { modeltest.Check(t, kind, kind.Options()) })
	}
}

// TestHistory: a stream whose labels need memory is learnt by every shipped
// model that has one, and by no other.
func TestHistory(t *testing.T) {
	eachShipped(t, func(t *testing.T, kind models.Kind) {
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

// TestShippedModelsAreCovered: each has facts, a case of TestClassificationLoss
// and one of TestInitialValues.
func TestShippedModelsAreCovered(t *testing.T) {
	eachShipped(t, func(t *testing.T, kind models.Kind) {
		stream := modeltest.Random(1, 50)
		m := optioned(t, cpu.NewDevice(cpu.Best(), 1), kind.Name, "{}", protocol.NodeClassification, stream, 1)
		if _, ok := m.(models.Factual); !ok {
			t.Error("no facts")
		}
		if !slices.ContainsFunc(classifiers, func(c [2]string) bool { return c[0] == kind.Name }) {
			t.Error("no case of TestClassificationLoss")
		}
		if !slices.ContainsFunc(initialFixture(t), func(m initialModel) bool { return m.Model == kind.Name }) {
			t.Error("not in testdata/initial.json")
		}
	})
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
