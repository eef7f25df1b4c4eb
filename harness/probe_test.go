package harness

import (
	"errors"
	"iter"
	"slices"
	"testing"

	"dgsbench/models"
	"dgsbench/protocol"
	"dgsbench/specs"
)

// TestProbe: programs are asked for what trials need, and no others are.
func TestProbe(t *testing.T) {
	var asked []models.Setup
	failed := errors.New("no such program")
	kind := models.Kind{Name: "program", Class: protocol.Learned, Probe: func(all iter.Seq2[models.Setup, models.Options]) error {
		for s := range all {
			asked = append(asked, s)
		}
		return failed
	}}
	trials := []specs.Trial{
		{Kind: models.Kind{Name: "raw"}, Task: protocol.NodeClassification},
		{Kind: kind, Task: protocol.LinkPrediction, Protocol: specs.Protocol{Select: specs.SelectLast}},
		{Kind: kind, Task: protocol.NodeClassification, Protocol: specs.Protocol{Select: specs.SelectBest, Epochs: 1}},
	}
	for _, checkpoints := range []bool{false, true} {
		asked = nil
		if err := Probe(trials, checkpoints); !errors.Is(err, failed) || len(asked) != 2 {
			t.Fatalf("error %v, asked for %v", err, asked)
		}
		if tasks := []protocol.Task{asked[0].Task, asked[1].Task}; !slices.Equal(tasks, []protocol.Task{protocol.LinkPrediction, protocol.NodeClassification}) {
			t.Errorf("tasks %v", tasks)
		}
		if got := asked[0].Snapshots; (got != "") != checkpoints {
			t.Errorf("checkpoints %v: the last epoch needs snapshots: %q", checkpoints, got)
		}
		if asked[1].Snapshots == "" {
			t.Errorf("checkpoints %v: the best epoch needs no snapshots", checkpoints)
		}
	}
	if err := Probe(trials[:1], true); err != nil {
		t.Error(err)
	}
}
