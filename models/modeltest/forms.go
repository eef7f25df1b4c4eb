package modeltest

import (
	"errors"

	"dgsbench/models"
)

// The checks of the forms that a model may have beside itself: deployed, and
// for batches that are known in advance.

func (s suite) deploy(m models.Model) models.Model {
	s.Helper()
	lean, err := m.(models.Deployer).Deploy()
	s.must(err)
	return lean
}

// asDeployed is a check of deployed models.
func asDeployed(check func(suite)) func(suite) {
	return func(s suite) {
		s.deployed = true
		check(s)
	}
}

// deployedAgrees: the same answers, with the state carried over and from the
// start.
func (s suite) deployedAgrees() {
	for seed := range uint64(4) {
		stream := Random(seed, events)
		rest := stream.Slice(events/2, events)
		m := s.trained(stream, seed, 1)
		lean := s.deploy(m)
		if got, want := lean.NumParams(), m.NumParams(); got != want {
			s.Errorf("%d parameters, the model has %d", got, want)
		}
		s.near("after training", s.evaluate(lean, rest), s.evaluate(m, rest))
		m.Reset()
		lean.Reset()
		s.near("after Reset", s.evaluate(lean, stream), s.evaluate(m, stream))
	}
}

// deployedAlone: neither of the two changes the other, and threads do not
// matter. Train and Deploy return ErrDeployed.
func (s suite) deployedAlone() {
	stream := Random(8, events)
	rest := stream.Slice(events/2, events)
	want := s.evaluate(s.trained(stream, 1, 1), rest)
	wantLean := s.evaluate(s.deploy(s.trained(stream, 1, 3)), rest)

	m := s.trained(stream, 1, 1)
	lean, first, second := s.deploy(m), s.deploy(m), s.deploy(m)
	s.observe(lean, rest)
	s.evaluate(first, rest)
	s.equal("the model, others having moved on", s.evaluate(m, rest), want)
	s.train(m, stream)
	m.Reset()
	b := rest.Slice(0, batch)
	if _, err := second.Train(b, s.negatives(b, 0)); !errors.Is(err, models.ErrDeployed) {
		s.Errorf("Train: error %v, expected %v", err, models.ErrDeployed)
	}
	if again, ok := second.(models.Deployer); ok {
		if _, err := again.Deploy(); !errors.Is(err, models.ErrDeployed) {
			s.Errorf("Deploy: error %v, expected %v", err, models.ErrDeployed)
		}
	}
	s.equal("deployed, the model having moved on", s.evaluate(second, rest), wantLean)
}

// deployedSnapshots are exchanged between deployed models alone.
func (s suite) deployedSnapshots() {
	asDeployed(suite.snapshots)(s)
	m := s.trained(Random(9, events), 1, 1)
	lean := s.deploy(m)
	if m.Restore(everything(lean)) == nil || lean.Restore(everything(m)) == nil || lean.Restore(models.Snapshot{}) == nil {
		s.Error("a foreign snapshot is accepted")
	}
}

// aheadAgrees: ClassifyAhead answers as Classify does, also where parameters
// change in between.
func (s suite) aheadAgrees() {
	for _, s.batch = range []int{1, batch - 1, batch} {
		stream := Random(8, events)
		half, rest := stream.Slice(0, events/2), stream.Slice(events/2, events).WithoutLabels()
		one, ahead := s.trained(stream, 1, 1), s.trained(stream, 1, 3)
		agree := func(what string) {
			s.Helper()
			got := make([]float32, rest.Len())
			s.must(ahead.(models.Ahead).ClassifyAhead(rest, s.batch, got))
			s.equal(what, got, s.evaluate(one, rest))
		}
		agree("logits")
		other := everything(s.trained(stream, 2, 1))
		for _, m := range []models.Model{one, ahead} {
			s.must(m.Restore(other))
		}
		agree("logits with other parameters")
		for _, m := range []models.Model{one, ahead} {
			s.train(m, half)
		}
		agree("logits after further training")
		s.equal("logits from the state that it leaves", s.evaluate(ahead, rest), s.evaluate(one, rest))
	}
}
