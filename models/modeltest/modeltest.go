// Package modeltest is the conformance suite that every registered model
// must pass. A check runs where it applies: what a model declares in its
// Kind and its Options decides. docs/adding-a-model.md lists the checks.
package modeltest

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/protocol"
)

// Check runs the conformance suite on one option set of a kind.
func Check(t *testing.T, kind models.Kind, opts models.Options) { CheckOn(t, nil, kind, opts) }

// CheckOn runs it with models on devices of their own; nil stands for the
// processor.
func CheckOn(t *testing.T, device func(threads int) (kernels.Device, error), kind models.Kind, opts models.Options) {
	if err := opts.Validate(); err != nil {
		t.Fatalf("Validate rejects the options: %v", err)
	}
	for _, task := range kind.Tasks {
		s := suite{T: t, kind: kind, opts: opts, task: task, batch: batch, device: device}
		s.run(string(task), suite.checkTask)
	}
}

func (s suite) checkTask() {
	if !s.run("without labels", suite.withoutLabels) {
		return // the other checks give none
	}
	links, oracle := s.task == protocol.LinkPrediction, s.kind.Class == protocol.Oracle
	probe := s.build(Random(7, events), 1, 1)
	_, deploys := probe.(models.Deployer)
	if deploys != s.kind.Deploys {
		s.Errorf("it is a Deployer: %v, its kind says %v", deploys, s.kind.Deploys)
	}
	_, ahead := probe.(models.Ahead)
	_, forgets := probe.(models.Forgetter)
	for _, c := range []struct {
		name    string
		applies bool
		check   func(suite)
	}{
		{"same seed, same bits", true, suite.sameBits},
		{"reset is complete", true, suite.reset},
		{"snapshots", true, suite.snapshots},
		{"snapshots at any time", true, suite.snapshotsAtAnyTime},
		{"no look-ahead", true, suite.lookAhead},
		{"no look-ahead in training", true, suite.trainingLookAhead},
		{"the setup is not kept", true, suite.setupNotKept},
		{"nothing that is given is written to", true, suite.givenStays},
		{"what is refused changes nothing", true, suite.refused},
		{"parameters beyond reason", true, suite.hugeParameters},
		{"facts", true, suite.facts},
		{"labels may be late", !links, suite.lateLabels},
		{"rank agrees with score", links, suite.rankAgrees},
		{"rank and score change nothing", links, suite.rankChangesNothing},
		{"does not ask for the truth", !oracle, suite.noTruth},
		{"event numbers mean nothing", !oracle, suite.eventNumbers},
		{"forgotten nodes are new", forgets, suite.forgets},
		{"deployed: same answers", deploys, suite.deployedAgrees},
		{"deployed: a model of its own", deploys, suite.deployedAlone},
		{"deployed: snapshots", deploys, suite.deployedSnapshots},
		{"deployed: forgotten nodes are new", deploys && forgets, asDeployed(suite.forgets)},
		{"deployed: no look-ahead", deploys, asDeployed(suite.lookAhead)},
		{"deployed: what is refused changes nothing", deploys, asDeployed(suite.refused)},
		{"deployed: rank agrees with score", deploys && links, asDeployed(suite.rankAgrees)},
		{"ahead: same answers", ahead && !links, suite.aheadAgrees},
	} {
		if c.applies {
			s.run(c.name, c.check)
		}
	}
}

// sameBits: the same seed gives the same bits, with any number of threads, in
// batches of one block of rows and of many. Another seed gives others, unless
// the kind is Deterministic.
func (s suite) sameBits() {
	run := func(s suite, stream datasets.Stream, seed uint64, threads int) []float32 {
		m := s.build(stream, seed, threads)
		s.train(m, stream)
		m.Reset()
		return s.evaluate(m, stream)
	}
	stream := Random(1, events)
	one := run(s, stream, 1, 1)
	s.equal("second run", run(s, stream, 1, 1), one)
	s.equal("three threads", run(s, stream, 1, 3), one)
	if same := slices.Equal(run(s, stream, 2, 1), one); s.kind.Trainable() && same != s.kind.Deterministic {
		s.Errorf("another seed gives the same numbers: %v, Kind.Deterministic says %v", same, s.kind.Deterministic)
	}
	stream = Random(1, 5*large/2)
	s.batch = large
	s.equal("three threads, large batches", run(s, stream, 1, 3), run(s, stream, 1, 1))
}

// reset: after Reset the model is a new one with these parameters, for ever.
func (s suite) reset() {
	stream := Random(2, events)
	m, fresh := s.build(stream, 1, 1), s.build(stream, 1, 1)
	s.train(m, stream)
	m.Reset()
	s.must(fresh.Restore(m.Snapshot(models.Parameters)))
	s.sameSnapshot("after training and Reset", everything(m), everything(fresh))
	s.evaluate(m, stream)
	m.Reset()
	s.sameSnapshot("after evaluation and Reset", everything(m), everything(fresh))
	want := s.evaluate(m, stream)
	m.Reset()
	s.equal("after Reset", s.evaluate(m, stream), want)
}

// snapshots: Restore brings back answers and state, in place and in another
// model; parameters alone with the state replayed do so, too. A snapshot of
// another kind is an error.
func (s suite) snapshots() {
	stream := Random(3, events)
	half, rest := stream.Slice(0, events/2), stream.Slice(events/2, events)
	m := s.trained(stream, 1, 1)
	m.Reset()
	s.observe(m, half)
	all, params := m.Snapshot(models.Everything), m.Snapshot(models.Parameters)
	want := s.evaluate(m, rest)
	elsewhere := []models.Model{s.trained(stream, 7, 1)}
	if !s.deployed {
		s.train(m, rest)
		elsewhere = append(elsewhere, s.build(stream, 7, 1))
	}

	s.must(m.Restore(all))
	s.equal("restored in place", s.evaluate(m, rest), want)
	for _, other := range elsewhere {
		s.must(other.Restore(all))
		s.sameSnapshot("restored elsewhere", everything(other), all)
		s.equal("restored elsewhere", s.evaluate(other, rest), want)
	}
	if !s.deployed {
		s.train(m, rest)
	}
	for _, m := range []models.Model{m, s.trained(stream, 8, 1)} {
		s.must(m.Restore(params))
		m.Reset()
		s.observe(m, half)
		s.equal("parameters restored, state replayed", s.evaluate(m, rest), want)
	}

	foreign := []models.Tensor{{Name: "foreign", F32: make([]float32, 3)}}
	if m.Restore(models.Snapshot{Params: foreign, State: foreign}) == nil {
		s.Error("a foreign snapshot is accepted")
	}
}

// snapshotsAtAnyTime: whatever a model was told before, and in whatever order,
// a new one with its snapshot gives the same answers.
func (s suite) snapshotsAtAnyTime() {
	stream := Random(13, events)
	m := s.build(stream, 1, 1)
	i := -1
	for b := range stream.Slice(0, events/2).Batches(s.batch) {
		i++
		other := s.build(stream, 2, 1)
		s.must(other.Restore(m.Snapshot(models.Everything)))
		trained := i%4 >= 2
		if !trained || s.task == protocol.LinkPrediction { // whose answers fold nothing in
			s.equal(fmt.Sprintf("batch %d", i), s.answer(m, b), s.answer(other, b))
		}
		if trained {
			s.train(m, b)
		} else if s.task == protocol.LinkPrediction {
			s.observe(m, b)
		}
	}
}

// facts: the Facts of a model that has some add up, and a model with memory
// keeps something of a node.
func (s suite) facts() {
	m := s.build(Random(5, events), 1, 1)
	factual, ok := m.(models.Factual)
	if !ok {
		return
	}
	f, sum := factual.Facts(), 0
	for _, p := range f.Parameters {
		sum += p.Params
	}
	if sum != m.NumParams() || s.kind.Memory != (f.State > 0) {
		s.Errorf("%d parameters in parts of %d, %d numbers of a node", sum, m.NumParams(), f.State)
	}
}

// setupNotKept: what the model was built from may change afterwards.
func (s suite) setupNotKept() {
	stream := Random(11, events)
	run := func(spoil bool) []float32 {
		given := refeatured(stream, stream.Len())
		given.Src, given.Dst, given.Time = slices.Clone(stream.Src), slices.Clone(stream.Dst), slices.Clone(stream.Time)
		m := s.build(given, 1, 1)
		if spoil {
			for k := range given.Len() {
				given.Src[k], given.Dst[k], given.Time[k] = 0, int32(users), 0
			}
			clear(given.Feat)
		}
		s.train(m, stream)
		m.Reset()
		return s.evaluate(m, stream)
	}
	s.equal("its training part having changed", run(true), run(false))
}

// rankAgrees: Rank counts the scores of Score and obeys the exclusions.
func (s suite) rankAgrees() {
	stream := Random(5, events)
	m := s.trained(stream, 1, 2)
	m.Reset()
	i := -1
	for b := range stream.Batches(s.batch) {
		i++
		c := models.Candidates{Nodes: everyone(stream)[i%5:], Without: make([][]int32, b.Len())}
		for k := range c.Without {
			c.Without[k] = []int32{int32(k % 4), int32(users + k%items)}
		}
		out := models.Counts{Greater: make([]int32, b.Len()), Equal: make([]int32, b.Len())}
		s.must(m.Rank(b.WithoutLabels(), c, out))
		scores := s.answer(m, b)
		for k := range b.Len() {
			greater, level := count(scores[k*stream.NumNodes:][:stream.NumNodes], b.Dst[k], c.Nodes, c.Without[k])
			if out.Greater[k] != greater || out.Equal[k] != level {
				s.Fatalf("batch %d event %d: Rank says %d above, %d level; Score says %d, %d",
					i, k, out.Greater[k], out.Equal[k], greater, level)
			}
		}
		s.observe(m, b)
	}
}

// count is the definition: negatives are the candidates but the true
// destination and the excluded nodes.
func count(scores []float32, dst int32, candidates, without []int32) (greater, level int32) {
	for _, v := range candidates {
		if v == dst || slices.Contains(without, v) {
			continue
		}
		if scores[v] > scores[dst] {
			greater++
		} else if scores[v] == scores[dst] {
			level++
		}
	}
	return greater, level
}

// rankChangesNothing: Rank and Score change neither the state nor later
// answers.
func (s suite) rankChangesNothing() {
	stream := Random(5, events)
	half, rest := stream.Slice(0, events/2), stream.Slice(events/2, events)
	asked, other := s.trained(stream, 1, 1), s.trained(stream, 1, 1)
	s.observe(asked, half)
	s.observe(other, half)
	for _, name := range s.asks() {
		before := everything(asked)
		_, err := call(asked, name, rest.Slice(0, batch).WithoutLabels())
		s.must(err)
		if !equalSnapshots(everything(asked), before) {
			s.Errorf("%s changes the state", name)
		}
	}
	s.equal("answers of one that was asked before", s.evaluate(asked, rest), s.evaluate(other, rest))
}

// noTruth: the truth of a simulator is for oracles alone.
func (s suite) noTruth() {
	stream := Random(7, events)
	stream.Truth = truth{s.T}
	m := s.build(stream, 1, 1)
	s.train(m, stream)
	m.Reset()
	s.evaluate(m, stream)
}

// eventNumbers: an answer depends on no event's number except for the order
// of numbers, and is computed from the batch and the state each time, not
// looked up by a number. Of links it is the ranks that count.
func (s suite) eventNumbers() {
	stream := Random(13, events)
	rest := stream.Slice(events/2, events)
	other := otherwise(stream, events/2, events, false).Slice(events/2, events)
	answers := func(first int, before ...datasets.Stream) []float32 {
		m := s.trained(stream, 1, 1)
		start := m.Snapshot(models.Everything)
		for _, part := range before {
			s.reported(m, part)
			s.must(m.Restore(start))
		}
		return s.reported(m, other.From(first))
	}
	want := answers(events / 2)
	s.equal("events with other numbers", answers(5*events), want)
	s.equal("after other events of these numbers", answers(events/2, rest), want)
}

// near compares within 2e-5 of the largest number.
func (s suite) near(what string, got, want []float32) {
	s.Helper()
	largest := 0.0
	for _, w := range want {
		largest = max(largest, math.Abs(float64(w)))
	}
	for i := range want {
		if g, w := float64(got[i]), float64(want[i]); !(math.Abs(g-w) <= 2e-5*largest) {
			s.Fatalf("%s: number %d is %v, expected %v", what, i, g, w)
		}
	}
}
