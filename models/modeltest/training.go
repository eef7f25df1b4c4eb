package modeltest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/protocol"
)

// trainingLookAhead: the loss is that of before the step and of states from
// before the batch. In classification that of one event depends on nothing
// else in the batch, and the mean is of one part a labelled event. In link
// prediction no features and no labels of the batch are known. Options that
// declare the opposite must be right.
func (s subject) trainingLookAhead(t *testing.T) {
	if s.task == protocol.LinkPrediction {
		b := s.crowded()
		same(t, "features and labels redrawn", s.loss(t, refeatured(b, 0)), s.loss(t, b))
		return
	}
	alone := s.crowded()
	alone.Label = slices.Repeat([]int8{datasets.Unlabelled}, batch)
	alone.Label[0] = 1
	want, got := s.loss(t, alone), s.loss(t, refeatured(alone, 1))
	if mixing, ok := s.opts.(models.Mixing); ok && mixing.MixesBatch() {
		if want == got {
			t.Error("it is declared to mix the events of a batch, and does not")
		}
		return
	}
	if o, ok := s.opts.(models.Leaky); !ok || o.LooksAhead(s.task) == "" {
		same(t, "of the first event, all others redrawn", got, want)
	}
	s.lossIsSum(t)
}

// lossIsSum: each of two labels adds its own part, whatever the other is.
func (s subject) lossIsSum(t *testing.T) {
	b := s.crowded()
	loss := func(first, second int8) float64 {
		b.Label = slices.Repeat([]int8{datasets.Unlabelled}, batch)
		b.Label[0], b.Label[1] = first, second
		return s.loss(t, b)
	}
	equal, crossed := loss(0, 0)+loss(1, 1), loss(0, 1)+loss(1, 0)
	if !(math.Abs(equal-crossed) <= 1e-5*math.Abs(equal)) {
		t.Errorf("losses with equal labels add up to %v, with different ones to %v: one event's depends on the other's label", equal, crossed)
	}
}

// crowded is the batch after the first half of a stream: all of its events
// have a node of the first one.
func (s subject) crowded() datasets.Stream {
	stream := Random(10, events)
	for k := events/2 + 1; k < events/2+batch; k++ {
		if k%2 == 0 {
			stream.Src[k] = stream.Src[events/2]
		} else {
			stream.Dst[k] = stream.Dst[events/2]
		}
	}
	return stream.Slice(events/2, events/2+batch)
}

// refeatured has other features, and labels where it has some, from event
// first on.
func refeatured(b datasets.Stream, first int) datasets.Stream {
	rng := rand.New(rand.NewPCG(7, 7))
	b.Feat, b.Label = slices.Clone(b.Feat), slices.Clone(b.Label)
	for i := first * b.NumFeat; i < len(b.Feat); i++ {
		b.Feat[i] = float32(rng.NormFloat64())
	}
	for k := first; k < b.Len(); k++ {
		if b.Label[k] != datasets.Unlabelled {
			b.Label[k] = 1 - b.Label[k]
		}
	}
	return b
}

// loss is that of a batch after the first half of the stream.
func (s subject) loss(t *testing.T, b datasets.Stream) float64 {
	t.Helper()
	m := s.trained(t, Random(10, events), 1, 1)
	loss, err := m.Train(b, s.negatives(b, 1))
	if err != nil {
		t.Fatal(err)
	}
	return loss
}

func same(t *testing.T, what string, got, want float64) {
	t.Helper()
	if got != want {
		t.Errorf("the loss, %s: %v, expected %v", what, got, want)
	}
}

// setupNotKept: what the model was built from may change.
func (s subject) setupNotKept(t *testing.T) {
	stream := Random(11, events)
	run := func(spoil bool) []float32 {
		given := refeatured(stream, stream.Len())
		given.Src, given.Dst, given.Time = slices.Clone(stream.Src), slices.Clone(stream.Dst), slices.Clone(stream.Time)
		m := s.build(t, given, 1, 1)
		if spoil {
			for k := range given.Len() {
				given.Src[k], given.Dst[k], given.Time[k] = 0, int32(users), 0
			}
			clear(given.Feat)
		}
		s.train(t, m, stream)
		m.Reset()
		return s.evaluate(t, m, stream)
	}
	equal(t, "its training part having changed", run(true), run(false))
}
