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

// CheckOn runs it with models on devices of their own; nil makes those of the
// processor.
func CheckOn(t *testing.T, device func(threads int) (kernels.Device, error), kind models.Kind, opts models.Options) {
	if err := opts.Validate(); err != nil {
		t.Fatalf("options are refused: %v", err)
	}
	for _, task := range kind.Tasks {
		s := subject{kind, opts, task, batch, device}
		t.Run(string(task), func(t *testing.T) {
			if !t.Run("without labels", s.withoutLabels) {
				return // the other checks give none
			}
			t.Run("same seed, same bits", s.sameBits)
			t.Run("reset is complete", s.reset)
			t.Run("snapshots", s.snapshots)
			t.Run("snapshots at any time", s.snapshotsAtAnyTime)
			t.Run("no look-ahead", s.lookAhead)
			t.Run("no look-ahead in training", s.trainingLookAhead)
			t.Run("the setup is not kept", s.setupNotKept)
			t.Run("nothing that is given is written to", s.givenStays)
			t.Run("what is refused changes nothing", s.refused)
			t.Run("parameters beyond reason", s.hugeParameters)
			t.Run("facts", s.facts)
			if task == protocol.LinkPrediction {
				t.Run("rank agrees with score", s.rankAgrees)
				t.Run("rank and score change nothing", s.rankChangesNothing)
			}
			if kind.Class != protocol.Oracle {
				t.Run("does not ask for the truth", s.noTruth)
				t.Run("event numbers mean nothing", s.eventNumbers)
			}
			if kind.Features != models.FeaturesIgnored {
				t.Run("NaN features are refused", s.nanFeatures)
			}
			s.checkDeployed(t)
			s.checkAhead(t)
		})
	}
}

// sameBits also uses different numbers of threads, with batches of one block of
// rows and of many, and for what is trained a second seed, which must differ.
func (s subject) sameBits(t *testing.T) {
	run := func(s subject, stream datasets.Stream, seed uint64, threads int) []float32 {
		m := s.build(t, stream, seed, threads)
		s.train(t, m, stream)
		m.Reset()
		return s.evaluate(t, m, stream)
	}
	stream := Random(1, events)
	one := run(s, stream, 1, 1)
	equal(t, "second run", run(s, stream, 1, 1), one)
	equal(t, "three threads", run(s, stream, 1, 3), one)
	if s.kind.Trainable() && slices.Equal(run(s, stream, 2, 1), one) {
		t.Error("another seed gives the same numbers")
	}
	stream = Random(1, 5*large/2)
	equal(t, "three threads, large batches", run(s.inBatches(large), stream, 1, 3), run(s.inBatches(large), stream, 1, 1))
}

// reset: what is left is a new model with these parameters, for ever.
func (s subject) reset(t *testing.T) {
	stream := Random(2, events)
	m, fresh := s.build(t, stream, 1, 1), s.build(t, stream, 1, 1)
	s.train(t, m, stream)
	m.Reset()
	if err := fresh.Restore(m.Snapshot(models.Parameters)); err != nil {
		t.Fatal(err)
	}
	everything(m).equals(t, "after training and Reset", everything(fresh))
	s.evaluate(t, m, stream)
	m.Reset()
	everything(m).equals(t, "after evaluation and Reset", everything(fresh))
	want := s.evaluate(t, m, stream)
	m.Reset()
	equal(t, "after Reset", s.evaluate(t, m, stream), want)
}

func (s subject) snapshots(t *testing.T) {
	stream := Random(3, events)
	half, rest := stream.Slice(0, events/2), stream.Slice(events/2, events)
	m := s.build(t, stream, 1, 1)
	s.train(t, m, half)
	m.Reset()
	s.observe(t, m, half)
	all, params := m.Snapshot(models.Everything), m.Snapshot(models.Parameters)
	want := s.evaluate(t, m, rest)
	s.train(t, m, rest)

	restore := func(m models.Model, snap models.Snapshot) {
		if err := m.Restore(snap); err != nil {
			t.Fatal(err)
		}
	}
	restore(m, all)
	equal(t, "restored in place", s.evaluate(t, m, rest), want)
	other := s.build(t, stream, 7, 1)
	restore(other, all)
	everything(other).equals(t, "restored elsewhere", saved(all))
	equal(t, "restored elsewhere", s.evaluate(t, other, rest), want)
	s.train(t, m, rest)
	restore(m, params)
	m.Reset()
	s.observe(t, m, half)
	equal(t, "parameters restored, state replayed", s.evaluate(t, m, rest), want)

	foreign := models.Snapshot{
		Params: []models.Tensor{{Name: "foreign", F32: make([]float32, 3)}},
		State:  []models.Tensor{{Name: "foreign", F32: make([]float32, 3)}},
	}
	if m.Restore(foreign) == nil {
		t.Error("a foreign snapshot is accepted")
	}
}

// snapshotsAtAnyTime: whatever a model was told before, and in whatever order,
// a new one with its snapshot gives the same answers.
func (s subject) snapshotsAtAnyTime(t *testing.T) {
	stream := Random(13, events)
	m := s.build(t, stream, 1, 1)
	for i, b := range s.batches(stream.Slice(0, events/2)) {
		other := s.build(t, stream, 2, 1)
		if err := other.Restore(m.Snapshot(models.Everything)); err != nil {
			t.Fatal(err)
		}
		trained := i%4 >= 2
		if !trained || s.task == protocol.LinkPrediction { // whose answers fold nothing in
			equal(t, fmt.Sprintf("batch %d", i), s.answer(t, m, b), s.answer(t, other, b))
		}
		if trained {
			s.train(t, m, b)
		} else if s.task == protocol.LinkPrediction {
			s.observe(t, m, b)
		}
	}
}

// facts: what a learned model says of itself adds up, and a model with memory
// keeps something of a node.
func (s subject) facts(t *testing.T) {
	m := s.build(t, Random(5, events), 1, 1)
	factual, ok := m.(models.Factual)
	if !ok {
		if s.kind.Trainable() {
			t.Errorf("%T does not know its facts", m)
		}
		return
	}
	f := factual.Facts()
	sum := 0
	for _, p := range f.Parameters {
		sum += p.Params
	}
	if sum != m.NumParams() || s.kind.Memory != (f.State > 0) {
		t.Errorf("%d parameters in parts of %d, %d numbers of a node", sum, m.NumParams(), f.State)
	}
}

// lookAhead: a link score depends on no event at or after the start of its
// batch, a classification on the event itself and on earlier batches only.
// Options that declare the opposite must be right.
func (s subject) lookAhead(t *testing.T) {
	stream := Random(4, events)
	m := s.build(t, stream, 1, 1)
	s.train(t, m, stream.Slice(0, events-batch))
	if o, ok := s.opts.(models.Leaky); ok && o.LooksAhead(s.task) != "" {
		s.mustLookAhead(t, m, stream)
		return
	}
	s.seesOnlyItself(t, m, stream)
}

// seesOnlyItself: the answer about no event of the last batch changes with
// the others.
func (s subject) seesOnlyItself(t *testing.T, m models.Model, stream datasets.Stream) {
	t.Helper()
	for event := events - batch; event < events; event++ {
		want, got := s.redrawn(t, m, stream, event)
		equal(t, fmt.Sprintf("event %d, its batch redrawn", event), got, want)
	}
}

// mustLookAhead: some answer changes with the rest of the batch.
func (s subject) mustLookAhead(t *testing.T, m models.Model, stream datasets.Stream) {
	t.Helper()
	for event := events - batch; event < events; event++ {
		if want, got := s.redrawn(t, m, stream, event); !slices.Equal(want, got) {
			return
		}
	}
	t.Error("it is declared to look ahead, and does not")
}

// redrawn is the answer about one event of the last batch, and that after
// all of the batch was redrawn but this event.
func (s subject) redrawn(t *testing.T, m models.Model, stream datasets.Stream, event int) (want, got []float32) {
	t.Helper()
	start := events - batch
	changed := otherwise(stream, start, event, s.task == protocol.LinkPrediction)
	m.Reset()
	s.observe(t, m, stream.Slice(0, start))
	before := m.Snapshot(models.Everything)
	want = s.answer(t, m, stream.Slice(start, events))
	if err := m.Restore(before); err != nil {
		t.Fatal(err)
	}
	got = s.answer(t, m, changed.Slice(start, events))
	width := len(want) / batch
	k := event - start
	return want[k*width:][:width], got[k*width:][:width]
}

// rankAgrees: Rank counts what Score shows and obeys the exclusions.
func (s subject) rankAgrees(t *testing.T) {
	stream := Random(5, events)
	m := s.build(t, stream, 1, 2)
	s.train(t, m, stream)
	s.countsScores(t, m, stream)
}

// countsScores replays the stream.
func (s subject) countsScores(t *testing.T, m models.Model, stream datasets.Stream) {
	t.Helper()
	m.Reset()
	for i, b := range s.batches(stream) {
		c := models.Candidates{Nodes: everyone(stream)[i%5:], Without: make([][]int32, b.Len())}
		for k := range c.Without {
			c.Without[k] = []int32{int32(k % 4), int32(users + k%items)}
		}
		out := models.Counts{Greater: make([]int32, b.Len()), Equal: make([]int32, b.Len())}
		if err := m.Rank(b.WithoutLabels(), c, out); err != nil {
			t.Fatal(err)
		}
		scores := s.answer(t, m, b)
		for k := range b.Len() {
			greater, level := count(scores[k*stream.NumNodes:][:stream.NumNodes], b.Dst[k], c.Nodes, c.Without[k])
			if out.Greater[k] != greater || out.Equal[k] != level {
				t.Fatalf("batch %d event %d: Rank says %d above, %d level; Score says %d, %d",
					i, k, out.Greater[k], out.Equal[k], greater, level)
			}
		}
		s.observe(t, m, b)
	}
}

// rankChangesNothing: neither what is kept, nor what is said afterwards.
func (s subject) rankChangesNothing(t *testing.T) {
	stream := Random(5, events)
	half, rest := stream.Slice(0, events/2), stream.Slice(events/2, events)
	var models [2]models.Model
	for i := range models {
		models[i] = s.trained(t, stream, 1, 1)
		s.observe(t, models[i], half)
	}
	asked, other := models[0], models[1]
	for _, what := range s.asks() {
		before := everything(asked)
		if _, err := call(asked, what, rest.Slice(0, batch).WithoutLabels()); err != nil {
			t.Fatal(err)
		}
		if !everything(asked).equal(before) {
			t.Errorf("%s changes the state", what)
		}
	}
	equal(t, "answers of one that was asked before", s.evaluate(t, asked, rest), s.evaluate(t, other, rest))
}

// noTruth: what a simulator knows is for oracles alone.
func (s subject) noTruth(t *testing.T) {
	stream := Random(7, events)
	stream.Truth = forbidden{t}
	m := s.build(t, stream, 1, 1)
	s.train(t, m, stream)
	m.Reset()
	s.evaluate(t, m, stream)
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

func (s subject) nanFeatures(t *testing.T) {
	stream := Random(6, events)
	bad := otherwise(stream, events, 0, false).Slice(0, batch)
	bad.Feat[features*batch/2] = float32(math.NaN())
	if _, err := s.build(t, stream, 1, 1).Train(bad, s.negatives(bad, 0)); err == nil {
		t.Error("Train accepts NaN features")
	}
	if s.task != protocol.NodeClassification {
		return
	}
	m := s.build(t, stream, 1, 1)
	if err := m.Classify(bad.WithoutLabels(), make([]float32, batch)); err == nil {
		t.Error("Classify accepts NaN features")
	}
	good := stream.Slice(0, batch)
	m.Reset()
	equal(t, "after NaN features", s.answer(t, m, good), s.answer(t, s.build(t, stream, 1, 1), good))
}

// equal compares bit by bit.
func equal(t *testing.T, what string, got, want []float32) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, expected %d", what, len(got), len(want))
	}
	for i := range got {
		if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
			t.Fatalf("%s: number %d is %v, expected %v", what, i, got[i], want[i])
		}
	}
}
