package modeltest

import (
	"errors"
	"math"
	"testing"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/protocol"
)

// checkDeployed holds what Deploy gives, where a model has it, against the
// model itself and against the rules for all models, training apart.
func (s subject) checkDeployed(t *testing.T) {
	_, ok := s.build(t, Random(7, events), 1, 1).(models.Deployer)
	if ok != s.kind.Deploys {
		t.Errorf("it is a Deployer: %v, its kind says %v", ok, s.kind.Deploys)
	}
	if !ok {
		return
	}
	t.Run("deployed: same answers", s.deployedAgrees)
	t.Run("deployed: a model of its own", s.deployedAlone)
	t.Run("deployed: snapshots", s.deployedSnapshots)
	t.Run("deployed: no look-ahead", func(t *testing.T) {
		stream := Random(4, events)
		s.seesOnlyItself(t, s.deployed(t, stream, 1, 1), stream)
	})
	t.Run("deployed: what is refused changes nothing", func(t *testing.T) {
		s.refusedBy(t, func(t *testing.T, stream datasets.Stream) models.Model { return s.deployed(t, stream, 1, 1) }, false)
	})
	if s.kind.Features != models.FeaturesIgnored {
		t.Run("deployed: NaN features are refused", func(t *testing.T) {
			stream := Random(6, events)
			lean := s.deployed(t, stream, 1, 1)
			stream.Feat[1] = float32(math.NaN())
			if lean.Observe(stream.Slice(0, batch).WithoutLabels()) == nil {
				t.Error("Observe accepts NaN features")
			}
		})
	}
	if s.task == protocol.LinkPrediction {
		t.Run("deployed: rank agrees with score", func(t *testing.T) {
			stream := Random(5, events)
			s.countsScores(t, s.deployed(t, stream, 1, 2), stream)
		})
	}
}

// trained has seen the first half of the stream.
func (s subject) trained(t *testing.T, stream datasets.Stream, seed uint64, threads int) models.Model {
	t.Helper()
	m := s.build(t, stream, seed, threads)
	s.train(t, m, stream.Slice(0, events/2))
	return m
}

func deploy(t *testing.T, m models.Model) models.Model {
	t.Helper()
	lean, err := m.(models.Deployer).Deploy()
	if err != nil {
		t.Fatal(err)
	}
	return lean
}

func (s subject) deployed(t *testing.T, stream datasets.Stream, seed uint64, threads int) models.Model {
	t.Helper()
	return deploy(t, s.trained(t, stream, seed, threads))
}

// deployedAgrees: with the state carried over, and from the start.
func (s subject) deployedAgrees(t *testing.T) {
	for seed := range uint64(4) {
		stream := Random(seed, events)
		rest := stream.Slice(events/2, events)
		m := s.trained(t, stream, seed, 1)
		lean := deploy(t, m)
		if got, want := lean.NumParams(), m.NumParams(); got != want {
			t.Errorf("%d parameters, the model has %d", got, want)
		}
		near(t, "after training", s.evaluate(t, lean, rest), s.evaluate(t, m, rest))
		m.Reset()
		lean.Reset()
		near(t, "after Reset", s.evaluate(t, lean, stream), s.evaluate(t, m, stream))
	}
}

// deployedAlone: neither of the two changes the other, and threads do not
// matter. Train and Deploy are refused.
func (s subject) deployedAlone(t *testing.T) {
	stream := Random(8, events)
	rest := stream.Slice(events/2, events)
	want := s.evaluate(t, s.trained(t, stream, 1, 1), rest)
	wantLean := s.evaluate(t, s.deployed(t, stream, 1, 3), rest)

	m := s.trained(t, stream, 1, 1)
	lean := deploy(t, m)
	first, second := deploy(t, m), deploy(t, m)
	s.observe(t, lean, rest)
	s.evaluate(t, first, rest)
	equal(t, "the model, others having moved on", s.evaluate(t, m, rest), want)
	s.train(t, m, stream)
	m.Reset()
	if _, err := second.Train(rest.Slice(0, batch), s.negatives(rest.Slice(0, batch), 0)); !errors.Is(err, models.ErrDeployed) {
		t.Errorf("Train: error %v, expected %v", err, models.ErrDeployed)
	}
	if again, ok := second.(models.Deployer); ok {
		if _, err := again.Deploy(); !errors.Is(err, models.ErrDeployed) {
			t.Errorf("Deploy: error %v, expected %v", err, models.ErrDeployed)
		}
	}
	equal(t, "deployed, the model having moved on", s.evaluate(t, second, rest), wantLean)
}

// deployedSnapshots go back and forth between deployed models alone.
func (s subject) deployedSnapshots(t *testing.T) {
	stream := Random(9, events)
	half, rest := stream.Slice(0, events/2), stream.Slice(events/2, events)
	m := s.trained(t, stream, 1, 1)
	lean, other := deploy(t, m), s.deployed(t, stream, 7, 1)
	all, params := lean.Snapshot(models.Everything), lean.Snapshot(models.Parameters)
	want := s.evaluate(t, lean, rest)
	restore := func(snap models.Snapshot) {
		if err := other.Restore(snap); err != nil {
			t.Fatal(err)
		}
	}
	restore(all)
	everything(other).equals(t, "restored elsewhere", saved(all))
	equal(t, "restored elsewhere", s.evaluate(t, other, rest), want)
	for _, model := range []models.Model{lean, other} {
		model.Reset()
		s.observe(t, model, half)
	}
	want = s.evaluate(t, lean, rest)
	restore(params)
	other.Reset()
	s.observe(t, other, half)
	equal(t, "parameters restored, state replayed", s.evaluate(t, other, rest), want)
	if m.Restore(all) == nil || lean.Restore(m.Snapshot(models.Everything)) == nil || lean.Restore(models.Snapshot{}) == nil {
		t.Error("a foreign snapshot is accepted")
	}
}

// near compares within 2e-5 of the largest number.
func near(t *testing.T, what string, got, want []float32) {
	t.Helper()
	largest := 0.0
	for _, w := range want {
		largest = max(largest, math.Abs(float64(w)))
	}
	for i := range want {
		if g, w := float64(got[i]), float64(want[i]); !(math.Abs(g-w) <= 2e-5*largest) {
			t.Fatalf("%s: number %d is %v, expected %v", what, i, g, w)
		}
	}
}
