package modeltest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/protocol"
)

// withoutLabels: no call but Train and Learn depends on the labels of its
// batch, neither its answer nor later answers, and none needs any.
func (s suite) withoutLabels() {
	for _, name := range append(s.asks(), s.folds(s.build(Random(9, events), 1, 1))...) {
		s.run(name, func(s suite) {
			defer func() {
				if failure := recover(); failure != nil {
					s.Errorf("without labels it panics: %v", failure)
				}
			}()
			want := s.withLabels(name, nil)
			for _, label := range []int8{datasets.Unlabelled, 0, 1} {
				labels := slices.Repeat([]int8{label}, batch)
				s.equal(fmt.Sprintf("with labels of %d", label), s.withLabels(name, labels), want)
			}
		})
	}
}

// withLabels returns the answers to a call with a batch that has these labels,
// and then to another batch without any.
func (s suite) withLabels(name string, labels []int8) []float32 {
	s.Helper()
	stream := Random(9, events)
	m := s.trained(stream, 1, 1)
	b, next := stream.Slice(events/2, events/2+batch), stream.Slice(events/2+batch, events/2+2*batch)
	b.Label = labels
	out, err := call(m, name, b)
	s.must(err)
	return append(out, s.answer(m, next)...)
}

// looksAhead reports whether the options declare it.
func (s suite) looksAhead() bool {
	o, ok := s.opts.(models.Leaky)
	return ok && o.LooksAhead(s.task) != ""
}

// lookAhead: a link score depends on no event at or after the start of its
// batch, a classification on the event itself and on earlier batches only.
// Options that declare the opposite must be right.
func (s suite) lookAhead() {
	stream := Random(4, events)
	m := s.trained(stream, 1, 1)
	for event := events - batch; event < events; event++ {
		want, got := s.redrawn(m, stream, event)
		if !s.looksAhead() {
			s.equal(fmt.Sprintf("event %d, its batch redrawn", event), got, want)
		} else if !slices.Equal(want, got) {
			return
		}
	}
	if s.looksAhead() {
		s.Error("it is declared to look ahead, and does not")
	}
}

// redrawn returns the answer about one event of the last batch, and that
// after all of the batch was redrawn but this event.
func (s suite) redrawn(m models.Model, stream datasets.Stream, event int) (want, got []float32) {
	s.Helper()
	start := events - batch
	changed := otherwise(stream, start, event, s.task == protocol.LinkPrediction)
	m.Reset()
	s.observe(m, stream.Slice(0, start))
	before := everything(m)
	want = s.answer(m, stream.Slice(start, events))
	s.must(m.Restore(before))
	got = s.answer(m, changed.Slice(start, events))
	width := len(want) / batch
	k := event - start
	return want[k*width:][:width], got[k*width:][:width]
}

// trainingLookAhead: the loss is that of before the step and of states from
// before the batch. In classification the term of one event depends on nothing
// else in the batch, and the mean is of one term a labelled event. In link
// prediction no features and no labels of the batch are known. Options that
// declare the opposite must be right.
func (s suite) trainingLookAhead() {
	if s.task == protocol.LinkPrediction {
		b := crowded()
		s.sameLoss("features and labels redrawn", s.loss(refeatured(b, 0)), s.loss(b))
		return
	}
	alone := crowded()
	alone.Label = slices.Repeat([]int8{datasets.Unlabelled}, batch)
	alone.Label[0] = 1
	want, got := s.loss(alone), s.loss(refeatured(alone, 1))
	if !s.looksAhead() {
		s.sameLoss("of the first event, all others redrawn", got, want)
	}
	s.lossIsSum()
}

// lateLabels: labels of more events than a batch has, long after these were folded
// in, leave a model that answers with finite numbers and can be reset; with
// these labels another model with its snapshot answers alike.
func (s suite) lateLabels() {
	stream := Random(15, events)
	half, rest := stream.Slice(0, events/2), stream.Slice(events/2, events)
	var labelled []int
	for k, label := range half.Label {
		if label != datasets.Unlabelled {
			labelled = append(labelled, k)
		}
	}
	known := half.Select(labelled)
	m, other := s.build(stream, 1, 1), s.build(stream, 2, 1)
	for b := range stream.Batches(s.batch) {
		s.must(m.Observe(b.WithoutLabels()))
	}
	s.must(m.Learn(known.WithoutLabels(), known.Label))
	s.must(other.Restore(everything(m)))
	want := s.evaluate(m, rest)
	if i := slices.IndexFunc(want, notFinite); i >= 0 {
		s.Errorf("a score of %v after labels that come late", want[i])
	}
	s.equal("restored after labels that come late", s.evaluate(other, rest), want)
}

// lossIsSum: each of two labels adds its own term, whatever the other is.
func (s suite) lossIsSum() {
	b := crowded()
	loss := func(first, second int8) float64 {
		b.Label = slices.Repeat([]int8{datasets.Unlabelled}, batch)
		b.Label[0], b.Label[1] = first, second
		return s.loss(b)
	}
	equal, crossed := loss(0, 0)+loss(1, 1), loss(0, 1)+loss(1, 0)
	if !(math.Abs(equal-crossed) <= 1e-5*math.Abs(equal)) {
		s.Errorf("losses with equal labels add up to %v, with different ones to %v: one event's depends on the other's label", equal, crossed)
	}
}

// loss returns that of a batch after the first half of the stream.
func (s suite) loss(b datasets.Stream) float64 {
	s.Helper()
	loss, err := s.trained(Random(10, events), 1, 1).Train(b, s.negatives(b, 1))
	s.must(err)
	return loss
}

func (s suite) sameLoss(what string, got, want float64) {
	s.Helper()
	if got != want {
		s.Errorf("the loss, %s: %v, expected %v", what, got, want)
	}
}

// crowded is the batch after the first half of a stream: all of its events
// have a node of the first one.
func crowded() datasets.Stream {
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
