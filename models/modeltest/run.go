package modeltest

import (
	"testing"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/protocol"
)

// subject builds fresh models of one kind, options and task.
type subject struct {
	kind   models.Kind
	opts   models.Options
	task   protocol.Task
	batch  int // events
	device func(threads int) (kernels.Device, error)
}

// inBatches is the same with batches of another size.
func (s subject) inBatches(size int) subject {
	s.batch = size
	return s
}

func (s subject) build(t *testing.T, stream datasets.Stream, seed uint64, threads int) models.Model {
	t.Helper()
	m, err := s.kind.New(models.Setup{
		Task: s.task, NumNodes: stream.NumNodes, Users: stream.Users, NumFeat: stream.NumFeat,
		MaxBatch: s.batch, Train: stream.Slice(0, stream.Len()/2).WithoutLabels(), Seed: seed, Threads: threads, Device: s.device,
	}, s.opts)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// batches cuts the stream into windows.
func (s subject) batches(stream datasets.Stream) []datasets.Stream {
	var out []datasets.Stream
	for lo := 0; lo < stream.Len(); lo += s.batch {
		out = append(out, stream.Slice(lo, min(lo+s.batch, stream.Len())))
	}
	return out
}

// everyone lists all nodes: the candidates of the checks.
func everyone(s datasets.Stream) []int32 {
	out := make([]int32, s.NumNodes)
	for i := range out {
		out[i] = int32(i)
	}
	return out
}

// train makes one pass over the stream.
func (s subject) train(t *testing.T, m models.Model, stream datasets.Stream) {
	t.Helper()
	for i, b := range s.batches(stream) {
		if _, err := m.Train(b, s.negatives(b, i)); err != nil {
			t.Fatal(err)
		}
	}
}

// negatives are some destinations, one an event.
func (s subject) negatives(b datasets.Stream, i int) []int32 {
	if s.task != protocol.LinkPrediction {
		return nil
	}
	out := make([]int32, b.Len())
	for k := range out {
		out[k] = int32((3*k + 5*i) % b.NumNodes)
	}
	return out
}

// evaluate passes over the stream as the harness does and returns every
// number that comes out: logits of all events, or of all pairs. The labels of
// a batch become known when it has been classified.
func (s subject) evaluate(t *testing.T, m models.Model, stream datasets.Stream) []float32 {
	t.Helper()
	var out []float32
	for _, b := range s.batches(stream) {
		out = append(out, s.answer(t, m, b)...)
		if s.task == protocol.LinkPrediction {
			s.observe(t, m, b)
		} else {
			s.reveal(t, m, b)
		}
	}
	return out
}

// reveal makes the labels of a classified or observed batch known.
func (s subject) reveal(t *testing.T, m models.Model, b datasets.Stream) {
	t.Helper()
	if s.task != protocol.NodeClassification {
		return
	}
	if err := models.Reveal(m, b); err != nil {
		t.Fatal(err)
	}
}

// answer is what the model says of one batch. Classification folds it in.
func (s subject) answer(t *testing.T, m models.Model, b datasets.Stream) []float32 {
	t.Helper()
	b = b.WithoutLabels()
	var out []float32
	var err error
	if s.task == protocol.LinkPrediction {
		c := everyone(b)
		out = make([]float32, b.Len()*len(c))
		err = m.Score(b, c, out)
	} else {
		out = make([]float32, b.Len())
		err = m.Classify(b, out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (s subject) observe(t *testing.T, m models.Model, stream datasets.Stream) {
	t.Helper()
	for _, b := range s.batches(stream) {
		if err := m.Observe(b.WithoutLabels()); err != nil {
			t.Fatal(err)
		}
		s.reveal(t, m, b)
	}
}
