package datasets

import (
	"fmt"

	"dgsbench/protocol"
)

// A Cut says how a dataset is cut into parts.
type Cut struct {
	Setting protocol.Setting
	// NeedFeatures says that the model cannot work without features: it is
	// given the dataset's substitute where there are none.
	NeedFeatures bool
	// Batch is the number of events in the windows before which derived
	// features end, as the parts are cut into them: windows restart at the
	// first event of each part. 0 has the features of an event depend on all
	// events before it.
	Batch int
}

// Parts are a dataset cut for one setting, with the features that a model is
// given. Train, Val and Test number their events as the whole stream does.
type Parts struct {
	Whole            Stream
	Train, Val, Test Stream
	// NewNode marks the nodes that are absent from Train (inductive
	// setting); nil in the transductive one.
	NewNode []bool
	// Batch is the Cut's: derived features know of what comes before batches of
	// that size; 0 where they know of all events before theirs.
	Batch int
	// Substituted: the file has no features, and the dataset's substitute
	// columns stand in.
	Substituted bool

	seal seal
}

// Scored reports whether a validation or test event between these nodes
// counts: always in the transductive setting, and in the inductive one where
// at least one of them is new.
func (p Parts) Scored(src, dst int32) bool {
	return p.NewNode == nil || p.NewNode[src] || p.NewNode[dst]
}

// NumScored is the number of events of a validation or test part that count.
func (p Parts) NumScored(part Stream) (n int) {
	if p.NewNode == nil {
		return part.Len()
	}
	for k := range part.Src {
		if p.Scored(part.Src[k], part.Dst[k]) {
			n++
		}
	}
	return n
}

// Parts cuts the dataset.
//
// Derived columns are computed over the whole stream and scaled with the
// train part of the setting, after held-out nodes were taken out of it. Their
// events are in no window of the train part, but before the later ones.
func (l *Loaded) Parts(cut Cut) (Parts, error) {
	train, newNode, err := l.train(cut.Setting)
	if err != nil {
		return Parts{}, err
	}
	p := Parts{Whole: l.Stream, NewNode: newNode, Batch: cut.Batch}
	columns := l.Dataset.Features
	if len(columns) == 0 && cut.NeedFeatures && l.Stream.NumFeat == 0 {
		columns, p.Substituted = l.Dataset.Substitute, true
		if len(columns) == 0 {
			return Parts{}, fmt.Errorf("dataset %s has no features, which this model needs", l.Dataset.Name)
		}
	}
	if len(columns) > 0 {
		trained := train(l.Stream)
		if p.Whole, err = Derive(l.Stream, trained, columns, l.begins(trained, cut.Batch)); err != nil {
			return Parts{}, fmt.Errorf("dataset %s: %w", l.Dataset.Name, err)
		}
	}
	p.Train, p.Val, p.Test = train(p.Whole), l.val(p.Whole), l.test(p.Whole)
	p.seal = sealOf(p)
	return p, nil
}

// val and test are these parts of the whole stream, with any features.
func (l *Loaded) val(s Stream) Stream  { return s.Slice(l.Split.TrainEnd, l.Split.ValEnd) }
func (l *Loaded) test(s Stream) Stream { return s.Slice(l.Split.ValEnd, s.Len()) }

// begins marks the first event of each window of batch events, in each part; it
// is nil where every event is a window.
func (l *Loaded) begins(train Stream, batch int) []bool {
	if batch <= 1 {
		return nil
	}
	begins := make([]bool, l.Stream.Len())
	for _, part := range []Stream{train, l.val(l.Stream), l.test(l.Stream)} {
		for k := 0; k < part.Len(); k += batch {
			begins[part.EventID(k)] = true
		}
	}
	return begins
}

// WithoutTruth is the same without what a simulator knows.
func (p Parts) WithoutTruth() Parts {
	for _, s := range []*Stream{&p.Whole, &p.Train, &p.Val, &p.Test} {
		s.Truth = nil
	}
	return p
}

// train returns how to take the setting's train part out of the stream, and
// the nodes that are not in it.
func (l *Loaded) train(setting protocol.Setting) (take func(Stream) Stream, newNode []bool, err error) {
	switch setting {
	case protocol.Transductive:
		return func(s Stream) Stream { return s.Slice(0, l.Split.TrainEnd) }, nil, nil
	case protocol.Inductive:
		if err := l.Dataset.room(inductiveBytes(l.Stream, l.Split.TrainEnd, l.Stream.NumFeat)); err != nil {
			return nil, nil, fmt.Errorf("the inductive setting: %w", err)
		}
		heldOut, err := l.Dataset.HeldOut(l.Stream, l.Split)
		if err != nil {
			return nil, nil, err
		}
		events, newNode := withoutNodes(l.Stream.Slice(0, l.Split.TrainEnd), heldOut)
		return func(s Stream) Stream { return s.Select(events) }, newNode, nil
	}
	return nil, nil, fmt.Errorf("no setting %q; known: %s (transductive), %s (inductive)", setting, protocol.Transductive, protocol.Inductive)
}

// withoutNodes lists the events that touch none of the nodes, and marks the
// nodes that have no event among them.
func withoutNodes(s Stream, nodes []int32) (events []int, absent []bool) {
	out := make([]bool, s.NumNodes)
	for _, n := range nodes {
		out[n] = true
	}
	absent = make([]bool, s.NumNodes)
	for n := range absent {
		absent[n] = true
	}
	for k := range s.Len() {
		if u, v := s.Src[k], s.Dst[k]; !out[u] && !out[v] {
			events = append(events, k)
			absent[u], absent[v] = false, false
		}
	}
	return events, absent
}
