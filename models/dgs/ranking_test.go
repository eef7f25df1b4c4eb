package dgs

import (
	"slices"
	"testing"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/models/modeltest"
	"dgsbench/protocol"
)

// TestRankingKeepsUp: whatever happens between two rankings, the second is
// that of a new model with the same parameters and states, bit for bit.
func TestRankingKeepsUp(t *testing.T) {
	const batch = 10
	stream := modeltest.Random(8, 6*batch)
	setup := models.Setup{
		Task: protocol.LinkPrediction, NumNodes: stream.NumNodes, Users: stream.Users, NumFeat: stream.NumFeat, MaxBatch: batch, Threads: 1, Train: stream,
	}
	m := newModel(t, setup)
	first := m.Snapshot(models.Parameters)
	var half models.Snapshot // of parameters and states
	at := func(i int) datasets.Stream { return stream.Slice(i*batch, (i+1)*batch) }
	train := func(i int) error {
		_, err := m.Train(at(i), at((i+1)%6).Dst)
		return err
	}
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"Train", func() error { return train(0) }},
		{"Observe", func() error { return m.Observe(at(1)) }},
		{"Train after Observe", func() error {
			half = m.Snapshot(models.Everything)
			return train(2)
		}},
		{"Restore of parameters", func() error { return m.Restore(first) }},
		{"Observe after Restore", func() error { return m.Observe(at(3)) }},
		{"Restore of everything", func() error { return m.Restore(half) }},
		{"Train after Restore", func() error { return train(4) }},
		{"Reset", func() error { m.Reset(); return nil }},
		{"Train after Reset", func() error { return train(5) }},
	} {
		before := ranked(t, m, at(0))
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		same := newModel(t, setup)
		if err := same.Restore(m.Snapshot(models.Everything)); err != nil {
			t.Fatal(err)
		}
		got, want := ranked(t, m, at(0)), ranked(t, same, at(0))
		if !slices.Equal(got.scores, want.scores) || !slices.Equal(got.Greater, want.Greater) || !slices.Equal(got.Equal, want.Equal) {
			t.Errorf("after %s: ranks %v and scores %v, those of a new model are %v and %v", step.name, got.Counts, got.scores[:5], want.Counts, want.scores[:5])
		}
		if slices.Equal(got.scores, before.scores) {
			t.Errorf("%s changes no score", step.name)
		}
	}
}

func newModel(t *testing.T, s models.Setup) *Model {
	t.Helper()
	m, err := New(s, Defaults())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// ranking is what a model says of a batch with all nodes as candidates.
type ranking struct {
	models.Counts
	scores []float32
}

func ranked(t *testing.T, m *Model, b datasets.Stream) ranking {
	t.Helper()
	everyone := make([]int32, b.NumNodes)
	for v := range everyone {
		everyone[v] = int32(v)
	}
	r := ranking{
		models.Counts{Greater: make([]int32, b.Len()), Equal: make([]int32, b.Len())},
		make([]float32, b.Len()*len(everyone)),
	}
	if err := m.Rank(b, models.Candidates{Nodes: everyone}, r.Counts); err != nil {
		t.Fatal(err)
	}
	if err := m.Score(b, everyone, r.scores); err != nil {
		t.Fatal(err)
	}
	return r
}
