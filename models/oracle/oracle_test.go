package oracle

import (
	"testing"

	"dgsbench/datasets"
	"dgsbench/datasets/sim"
	"dgsbench/models"
	"dgsbench/protocol"
)

// build makes the oracle of a small simulated stream.
func build(t *testing.T, task protocol.Task) (models.Model, datasets.Stream) {
	t.Helper()
	p := sim.Simulators[0].Params
	p.Users, p.Items, p.Events, p.Positives = 40, 20, 400, 20
	s := sim.Generate(p, 1)
	kind, err := models.Lookup("oracle")
	if err != nil {
		t.Fatal(err)
	}
	m, err := kind.New(models.Setup{Task: task, NumNodes: s.NumNodes, Users: s.Users, Train: s.Slice(0, 200)}, kind.Options())
	if err != nil {
		t.Fatal(err)
	}
	return m, s
}

// TestPassesTheTruthOn: scores are those of the events' own numbers.
func TestPassesTheTruthOn(t *testing.T) {
	m, s := build(t, protocol.NodeClassification)
	part := s.Slice(300, 310)
	got := make([]float32, part.Len())
	if err := m.Classify(part, got); err != nil {
		t.Fatal(err)
	}
	for k, x := range got {
		if want := float32(s.Truth.Logit(300 + k)); x != want {
			t.Errorf("event %d: %v, expected %v", 300+k, x, want)
		}
	}
	if m.Score(part, []int32{0}, got) == nil || m.Rank(part, models.Candidates{}, models.Counts{}) == nil {
		t.Error("links are scored by an oracle of labels")
	}
}

// TestRefusesRealData: nobody knows the hidden state of a real stream.
func TestRefusesRealData(t *testing.T) {
	for _, task := range []protocol.Task{protocol.NodeClassification, protocol.LinkPrediction} {
		m, s := build(t, task)
		s.Truth = nil
		if m.Classify(s, make([]float32, s.Len())) == nil || m.Score(s, []int32{0}, make([]float32, s.Len())) == nil {
			t.Errorf("%s: a stream without truth is scored", task)
		}
		kind, _ := models.Lookup("oracle")
		if _, err := kind.New(models.Setup{Task: task, NumNodes: s.NumNodes, Train: s}, kind.Options()); err == nil {
			t.Errorf("%s: an oracle of a stream without truth is built", task)
		}
	}
}
