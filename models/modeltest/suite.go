package modeltest

import (
	"math"
	"slices"
	"testing"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/protocol"
)

// suite is a test of models of one kind, options and task.
type suite struct {
	*testing.T
	kind   models.Kind
	opts   models.Options
	task   protocol.Task
	batch  int // events
	device func(threads int) (kernels.Device, error)

	deployed bool // trained models are deployed
}

// run runs a check as a subtest.
func (s suite) run(name string, check func(suite)) bool {
	return s.Run(name, func(t *testing.T) {
		s.T = t
		check(s)
	})
}

// must ends the test if there is an error.
func (s suite) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// build returns a new model for the stream.
func (s suite) build(stream datasets.Stream, seed uint64, threads int) models.Model {
	s.Helper()
	m, err := s.kind.New(models.Setup{
		Task: s.task, NumNodes: stream.NumNodes, Users: stream.Users, NumFeat: stream.NumFeat,
		MaxBatch: s.batch, Train: stream.Slice(0, stream.Len()/2).WithoutLabels(), Seed: seed, Threads: threads, Device: s.device,
	}, s.opts)
	s.must(err)
	s.Cleanup(func() { models.Close(m) })
	return m
}

// trained returns a model that was trained on the first half of the stream.
func (s suite) trained(stream datasets.Stream, seed uint64, threads int) models.Model {
	s.Helper()
	m := s.build(stream, seed, threads)
	s.train(m, stream.Slice(0, events/2))
	if s.deployed {
		return s.deploy(m)
	}
	return m
}

// train makes one pass over the stream.
func (s suite) train(m models.Model, stream datasets.Stream) {
	s.Helper()
	i := 0
	for b := range stream.Batches(s.batch) {
		_, err := m.Train(b, s.negatives(b, i))
		s.must(err)
		i++
	}
}

// trainedOn trains the model further and returns its answers.
func (s suite) trainedOn(m models.Model, stream datasets.Stream) []float32 {
	s.Helper()
	s.train(m, stream)
	return s.evaluate(m, stream)
}

// negatives returns a destination for every event of batch i.
func (s suite) negatives(b datasets.Stream, i int) []int32 {
	if s.task != protocol.LinkPrediction {
		return nil
	}
	out := make([]int32, b.Len())
	for k := range out {
		out[k] = int32((3*k + 5*i) % b.NumNodes)
	}
	return out
}

// scoring is the call that answers with scores.
func (s suite) scoring() string {
	if s.task == protocol.LinkPrediction {
		return "Score"
	}
	return "Classify"
}

// answer returns the scores of one batch. Classification folds it in.
func (s suite) answer(m models.Model, b datasets.Stream) []float32 {
	s.Helper()
	out, err := call(m, s.scoring(), b.WithoutLabels())
	s.must(err)
	return out
}

// pass passes over the stream as the harness does and returns every number
// that a call answers with. The labels of a batch become known when it has
// been classified.
func (s suite) pass(m models.Model, name string, stream datasets.Stream) (out []float32) {
	s.Helper()
	for b := range stream.Batches(s.batch) {
		answer, err := call(m, name, b.WithoutLabels())
		s.must(err)
		out = append(out, answer...)
		if s.task == protocol.LinkPrediction {
			s.observe(m, b)
		} else {
			s.must(models.Reveal(m, b))
		}
	}
	return out
}

// evaluate returns the scores of all events, or of all pairs.
func (s suite) evaluate(m models.Model, stream datasets.Stream) []float32 {
	s.Helper()
	return s.pass(m, s.scoring(), stream)
}

// reported returns what the harness records: logits, or counts of ranks.
func (s suite) reported(m models.Model, stream datasets.Stream) []float32 {
	s.Helper()
	if s.task == protocol.LinkPrediction {
		return s.pass(m, "Rank", stream)
	}
	return s.evaluate(m, stream)
}

// observe passes over the stream with Observe.
func (s suite) observe(m models.Model, stream datasets.Stream) {
	s.Helper()
	for b := range stream.Batches(s.batch) {
		s.must(m.Observe(b.WithoutLabels()))
		if s.task == protocol.NodeClassification {
			s.must(models.Reveal(m, b))
		}
	}
}

// asks are the calls that change nothing.
func (s suite) asks() []string {
	if s.task == protocol.LinkPrediction {
		return []string{"Rank", "Score"}
	}
	return nil
}

// folds are the calls that fold a batch in without learning from it.
func (s suite) folds(m models.Model) []string {
	if s.task == protocol.LinkPrediction {
		return []string{"Observe"}
	}
	if _, ok := m.(models.Ahead); ok {
		return []string{"Observe", "Classify", "ClassifyAhead"}
	}
	return []string{"Observe", "Classify"}
}

// call returns the answer to a call with a batch.
func call(m models.Model, name string, b datasets.Stream) (out []float32, err error) {
	switch name {
	case "Observe":
		return nil, m.Observe(b)
	case "Classify":
		out = make([]float32, b.Len())
		return out, m.Classify(b, out)
	case "ClassifyAhead":
		out = make([]float32, b.Len())
		return out, m.(models.Ahead).ClassifyAhead(b, batch/3, out)
	case "Score":
		out = make([]float32, b.Len()*b.NumNodes)
		return out, m.Score(b, everyone(b), out)
	case "Rank":
		counts := models.Counts{Greater: make([]int32, b.Len()), Equal: make([]int32, b.Len())}
		err = m.Rank(b, models.Candidates{Nodes: everyone(b)}, counts)
		for k := range counts.Greater {
			out = append(out, float32(counts.Greater[k]), float32(counts.Equal[k]))
		}
		return out, err
	}
	panic("modeltest: no call " + name)
}

// callOrTrain is call without labels, or Train, which gets them.
func (s suite) callOrTrain(m models.Model, name string, b datasets.Stream) (out []float32, err error) {
	if name != "Train" {
		return call(m, name, b.WithoutLabels())
	}
	_, err = m.Train(b, s.negatives(b, 0))
	return nil, err
}

// everyone lists all nodes: the candidates of the checks.
func everyone(s datasets.Stream) []int32 {
	out := make([]int32, s.NumNodes)
	for i := range out {
		out[i] = int32(i)
	}
	return out
}

// equal compares bit by bit.
func (s suite) equal(what string, got, want []float32) {
	s.Helper()
	if len(got) != len(want) {
		s.Fatalf("%s: %d numbers, expected %d", what, len(got), len(want))
	}
	for i := range got {
		if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
			s.Fatalf("%s: number %d is %v, expected %v", what, i, got[i], want[i])
		}
	}
}

func everything(m models.Model) models.Snapshot { return m.Snapshot(models.Everything) }

// sameSnapshot fails where tensors differ.
func (s suite) sameSnapshot(what string, got, want models.Snapshot) {
	s.Helper()
	if equalSnapshots(got, want) {
		return
	}
	a, b := slices.Concat(got.Params, got.State), slices.Concat(want.Params, want.State)
	for i := range min(len(a), len(b)) {
		if !equalTensors(a[i], b[i]) {
			s.Fatalf("%s: tensor %s is not the expected %s, or has other numbers", what, a[i], b[i])
		}
	}
	s.Fatalf("%s: %d tensors, expected %d", what, len(a), len(b))
}

// equalSnapshots compares bit by bit.
func equalSnapshots(a, b models.Snapshot) bool {
	return slices.EqualFunc(a.Params, b.Params, equalTensors) && slices.EqualFunc(a.State, b.State, equalTensors)
}

func equalTensors(a, b models.Tensor) bool {
	bits := func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) }
	return a.Name == b.Name && slices.Equal(a.Shape, b.Shape) && slices.EqualFunc(a.F32, b.F32, bits) && slices.Equal(a.I64, b.I64)
}
