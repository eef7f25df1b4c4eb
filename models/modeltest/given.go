package modeltest

import (
	"reflect"
	"slices"
	"testing"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/protocol"
)

// eventNumbers: an answer depends on no event's number but for the order that
// numbers have, and is made of the batch and the state each time, not
// remembered by a number. Of links it is the ranks that count.
func (s subject) eventNumbers(t *testing.T) {
	stream := Random(13, events)
	rest := stream.Slice(events/2, events)
	other := otherwise(stream, events/2, events, false).Slice(events/2, events)
	answers := func(first int, before ...datasets.Stream) []float32 {
		m := s.trained(t, stream, 1, 1)
		start := m.Snapshot(models.Everything)
		for _, part := range before {
			s.said(t, m, part)
			if err := m.Restore(start); err != nil {
				t.Fatal(err)
			}
		}
		return s.said(t, m, other.From(first))
	}
	want := answers(events / 2)
	equal(t, "events with other numbers", answers(5*events), want)
	equal(t, "after other events of these numbers", answers(events/2, rest), want)
}

// said is what the harness is told about the events: logits, or counts of
// ranks.
func (s subject) said(t *testing.T, m models.Model, stream datasets.Stream) (out []float32) {
	t.Helper()
	if s.task == protocol.NodeClassification {
		return s.evaluate(t, m, stream)
	}
	for _, b := range s.batches(stream.WithoutLabels()) {
		counts, err := call(m, "Rank", b)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, counts...)
		s.observe(t, m, b)
	}
	return out
}

// givenStays: a model writes to nothing that it is given but its answers, and
// to those only until it has answered.
func (s subject) givenStays(t *testing.T) {
	stream := Random(14, events)
	for k := range stream.Label {
		stream.Label[k] = int8(k % 2)
	}
	m := s.trained(t, stream, 1, 1)
	labelled := stream.Slice(events/2, events/2+batch)
	b := labelled.WithoutLabels()
	unchanged := func(call string, what func() []any, do func() error) {
		t.Helper()
		var before []any
		for _, x := range what() {
			before = append(before, clone(reflect.ValueOf(x)))
		}
		if err := do(); err != nil {
			t.Fatalf("%s: %v", call, err)
		}
		if !reflect.DeepEqual(what(), before) {
			t.Errorf("%s writes to what it is given", call)
		}
	}
	columns := func() []any { return []any{labelled.Src, labelled.Dst, labelled.Time, labelled.Label, labelled.Feat} }

	negatives := s.negatives(b, 0)
	unchanged("Train", func() []any { return append(columns(), negatives) }, func() error {
		_, err := m.Train(labelled, negatives)
		return err
	})
	for _, name := range append(s.folds(m), s.asks()...) {
		unchanged(name, columns, func() error {
			_, err := call(m, name, b)
			return err
		})
	}
	if s.task == protocol.LinkPrediction {
		among := models.Candidates{Nodes: everyone(b), Without: slices.Repeat([][]int32{{1, int32(users)}}, batch)}
		out := models.Counts{Greater: make([]int32, batch), Equal: make([]int32, batch)}
		unchanged("Rank", func() []any { return append(columns(), among.Nodes, among.Without) }, func() error { return m.Rank(b, among, out) })
		unchanged("Score", func() []any { return append(columns(), among.Nodes) }, func() error {
			return m.Score(b, among.Nodes, make([]float32, batch*len(among.Nodes)))
		})
		return
	}
	logits := make([]float32, batch)
	if err := m.Classify(b, logits); err != nil {
		t.Fatal(err)
	}
	unchanged("Learn", func() []any { return append(columns(), logits) }, func() error { return m.Learn(b, labelled.Label) })
}

// clone copies a slice, and the slices in it.
func clone(x reflect.Value) any {
	if x.IsNil() {
		return x.Interface()
	}
	out := reflect.MakeSlice(x.Type(), x.Len(), x.Len())
	for i := range x.Len() {
		if x.Index(i).Kind() == reflect.Slice {
			out.Index(i).Set(reflect.ValueOf(clone(x.Index(i))))
		} else {
			out.Index(i).Set(x.Index(i))
		}
	}
	return out.Interface()
}
