package modeltest

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/protocol"
)

// asks are the calls that change nothing.
func (s subject) asks() []string {
	if s.task == protocol.LinkPrediction {
		return []string{"Rank", "Score"}
	}
	return nil
}

// folds are the calls that fold a batch in without learning from it.
func (s subject) folds(m models.Model) []string {
	if s.task == protocol.LinkPrediction {
		return []string{"Observe"}
	}
	if _, ok := m.(models.Ahead); ok {
		return []string{"Observe", "Classify", "ClassifyAhead"}
	}
	return []string{"Observe", "Classify"}
}

// call is what the model answers to a call with a batch, which may fail.
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

// saved is a snapshot that can be compared.
type saved models.Snapshot

func everything(m models.Model) saved { return saved(m.Snapshot(models.Everything)) }

// equals fails where the numbers are not the other's.
func (s saved) equals(t *testing.T, what string, want saved) {
	t.Helper()
	if s.equal(want) {
		return
	}
	got, expected := slices.Concat(s.Params, s.State), slices.Concat(want.Params, want.State)
	for i := range min(len(got), len(expected)) {
		if !(saved{State: got[i : i+1]}).equal(saved{State: expected[i : i+1]}) {
			t.Fatalf("%s: tensor %s is not the expected %s, or has other numbers", what, got[i], expected[i])
		}
	}
	t.Fatalf("%s: %d tensors, expected %d", what, len(got), len(expected))
}

// equal compares bit by bit.
func (s saved) equal(other saved) bool {
	same := func(a, b models.Tensor) bool {
		bits := func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) }
		return a.Name == b.Name && slices.Equal(a.Shape, b.Shape) && slices.EqualFunc(a.F32, b.F32, bits) && slices.Equal(a.I64, b.I64)
	}
	return slices.EqualFunc(s.Params, other.Params, same) && slices.EqualFunc(s.State, other.State, same)
}

// withoutLabels: no call but Train and Learn depends on the labels of its
// batch, neither its answer nor what is answered afterwards, and all do
// without.
func (s subject) withoutLabels(t *testing.T) {
	for _, name := range append(s.asks(), s.folds(s.build(t, Random(9, events), 1, 1))...) {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if failure := recover(); failure != nil {
					t.Errorf("without labels it panics: %v", failure)
				}
			}()
			want := s.labelled(t, name, nil)
			for _, label := range []int8{datasets.Unlabelled, 0, 1} {
				labels := slices.Repeat([]int8{label}, batch)
				equal(t, fmt.Sprintf("with labels of %d", label), s.labelled(t, name, labels), want)
			}
		})
	}
}

// labelled is all that a model answers to a call with a batch that has these
// labels, and then to another one without any.
func (s subject) labelled(t *testing.T, name string, labels []int8) []float32 {
	t.Helper()
	stream := Random(9, events)
	m := s.trained(t, stream, 1, 1)
	b, next := stream.Slice(events/2, events/2+batch), stream.Slice(events/2+batch, events/2+2*batch)
	b.Label = labels
	out, err := call(m, name, b)
	if err != nil {
		t.Fatal(err)
	}
	return append(out, s.answer(t, m, next)...)
}
