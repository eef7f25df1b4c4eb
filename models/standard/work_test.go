//go:build gpu

package standard

import (
	"fmt"
	"strings"
	"testing"

	"dgsbench/datasets"
	"dgsbench/kernels/cuda"
	"dgsbench/kernels/cuda/cudatest"
	"dgsbench/models"
	"dgsbench/models/modeltest"
	"dgsbench/protocol"
)

// budgets are the most that a batch asks of a card, once batches before it
// had its size: launches, repeats, fills, uploads, downloads and waits. On a
// card they, and not what is computed, decide the speed of small batches: a
// launch or a copy takes the host 2 to 3 us, a wait 10. Small copies go
// together, and a launch puts them in their places. In training the last launch
// writes the answer to the host. Who exceeds a budget has
// added calls to every batch; who stays below it may lower it.
//
// The goal behind them: an epoch of DGS on Wikipedia's 551 batches of links
// in 70 ms, 127 us a batch.
var budgets = []struct {
	model string
	task  protocol.Task
	call  string
	most  cuda.Work
}{
	// One wait, at the end, for the loss and what is not finite. What is about
	// all events is repeated, and the step of the parameters below the head.
	// Launches between them have all writes or all nodes that are touched; one
	// puts the batch in its places, one is the head's step, one the answer.
	// Uploads are the batch, and the Jacobians' plan.
	{"dgs", protocol.NodeClassification, "train", cuda.Work{Launches: 10, Repeats: 2, Uploads: 2, Waits: 1}},
	{"dgs", protocol.LinkPrediction, "train", cuda.Work{Launches: 10, Repeats: 2, Uploads: 2, Waits: 1}},
	// After training, states that change lose their derivatives: two
	// launches and an upload.
	{"dgs", protocol.NodeClassification, "classify", cuda.Work{Launches: 3, Uploads: 2, Waits: 1}},
	{"dgs", protocol.LinkPrediction, "observe", cuda.Work{Launches: 3, Uploads: 2}},

	// The host waits for the features' buckets before it folds them in.
	{"graphsprints", protocol.NodeClassification, "train", cuda.Work{Launches: 12, Repeats: 1, Fills: 1, Uploads: 6, Downloads: 1, Waits: 2}},
	{"graphsprints", protocol.LinkPrediction, "train", cuda.Work{Launches: 9, Repeats: 1, Fills: 1, Uploads: 5, Downloads: 1, Waits: 2}},
	{"graphsprints", protocol.NodeClassification, "classify", cuda.Work{Launches: 9, Fills: 1, Uploads: 6, Downloads: 1, Waits: 2}},
	{"graphsprints", protocol.LinkPrediction, "observe", cuda.Work{Launches: 5, Fills: 1, Uploads: 3, Downloads: 1, Waits: 1}},

	// In link prediction each batch has a number of memories of its own, and
	// the program for training more, as padding. Around it, features of
	// messages are fetched and those of events looked at; then memories and
	// features are put away; lists are spread before and after. A wait is for
	// the loss or the logits: the host looks at features. A batch is classified
	// in one launch; where it is observed, one more keeps its features for its
	// messages, one the memories, and one spreads lists and features.
	{"jodie", protocol.NodeClassification, "train", cuda.Work{Launches: 6, Repeats: 1, Uploads: 1, Waits: 1}},
	{"jodie", protocol.LinkPrediction, "train", cuda.Work{Launches: 6, Repeats: 1, Uploads: 3, Waits: 1}},
	{"jodie", protocol.NodeClassification, "classify", cuda.Work{Launches: 1, Uploads: 1, Waits: 1}},
	{"jodie", protocol.LinkPrediction, "observe", cuda.Work{Launches: 2, Uploads: 4}},

	// The program, a look at its gradients, Adam and the answer.
	{"raw", protocol.NodeClassification, "train", cuda.Work{Launches: 4, Repeats: 1, Uploads: 1, Waits: 1}},
	{"raw", protocol.NodeClassification, "classify", cuda.Work{Launches: 1, Uploads: 1, Waits: 1}},

	// As Jodie, and each batch has its own neighbours, with padding in
	// training, in classification, too: sources, neighbours, edges, attention
	// and head are a launch each, two leave features at the neighbours' events.
	{"tgn", protocol.NodeClassification, "train", cuda.Work{Launches: 8, Repeats: 1, Uploads: 2, Waits: 1}},
	{"tgn", protocol.LinkPrediction, "train", cuda.Work{Launches: 8, Repeats: 1, Uploads: 4, Waits: 1}},
	{"tgn", protocol.NodeClassification, "classify", cuda.Work{Launches: 6, Uploads: 6, Waits: 1}},
	{"tgn", protocol.LinkPrediction, "observe", cuda.Work{Launches: 3, Uploads: 5}},
}

// TestWork holds every model to its budgets. With -v it prints what a batch
// asks for.
func TestWork(t *testing.T) {
	var table strings.Builder
	row := func(cells ...any) { fmt.Fprintf(&table, "%-12s  %-4s  %-8s  %8v  %7v  %5v  %7v  %9v  %5v\n", cells...) }
	row("model", "task", "call", "launches", "repeats", "fills", "uploads", "downloads", "waits")
	for _, b := range budgets {
		w := workOf(t, b.model, b.task, b.call)
		row(b.model, b.task, b.call, w.Launches, w.Repeats, w.Fills, w.Uploads, w.Downloads, w.Waits)
		if w.Launches > b.most.Launches || w.Repeats > b.most.Repeats || w.Fills > b.most.Fills ||
			w.Uploads > b.most.Uploads || w.Downloads > b.most.Downloads || w.Waits > b.most.Waits {
			t.Errorf("%s, %s, %s: a batch asks for %+v, its budget is %+v", b.model, b.task, b.call, w, b.most)
		}
	}
	t.Log("\n" + table.String())
}

// TestEveryModelHasBudgets: so that a new one is not forgotten.
func TestEveryModelHasBudgets(t *testing.T) {
	type key struct {
		model string
		task  protocol.Task
		call  string
	}
	have := map[key]bool{}
	for _, b := range budgets {
		have[key{b.model, b.task, b.call}] = true
	}
	for _, name := range models.Names() {
		kind, err := models.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if !kind.Trainable() {
			continue
		}
		for _, task := range kind.Tasks {
			for _, call := range []string{"train", map[protocol.Task]string{protocol.NodeClassification: "classify", protocol.LinkPrediction: "observe"}[task]} {
				if !have[key{name, task, call}] {
					t.Errorf("%s has no budget for %s in %s", name, call, task)
				}
			}
		}
	}
}

// workOf is what one batch asks for, after two training batches; if it is of
// another kind, after two of that, too.
func workOf(t *testing.T, model string, task protocol.Task, call string) cuda.Work {
	t.Helper()
	const batch = 40
	kind, err := models.Lookup(model)
	if err != nil {
		t.Fatal(err)
	}
	d := cudatest.Device(t).(*cuda.Device)
	s := modeltest.Random(1, 400)
	m := onCard(t, d, kind, task, s, batch)
	logits := make([]float32, batch)
	calls := map[string]func(b datasets.Stream) error{
		"train":    func(b datasets.Stream) error { _, err := m.Train(b, b.Dst); return err },
		"classify": func(b datasets.Stream) error { return m.Classify(b, logits) },
		"observe":  m.Observe,
	}
	names := []string{"train", "train", "train"}
	if call != "train" {
		names = []string{"train", "train", call, call, call}
	}
	var work cuda.Work
	for i, name := range names {
		earlier := d.Work()
		if err := calls[name](s.Slice(i*batch, (i+1)*batch)); err != nil {
			t.Fatal(err)
		}
		work = d.Work().Minus(earlier)
	}
	return work
}
