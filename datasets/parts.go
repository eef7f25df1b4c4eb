package datasets

import (
	"fmt"
	"hash/crc32"
	"slices"
	"sync"

	"dgsbench/protocol"
)

// A Cut says how a dataset is cut into parts.
type Cut struct {
	Setting protocol.Setting
	// NeedFeatures says that the model needs features: it gets the dataset's
	// substitute if the file has none.
	NeedFeatures bool
	// Velocity adds the columns of Velocity.
	Velocity bool
	// Batch is the size in events of the windows of a part: the derived features
	// of an event depend on the events before its window only. Windows restart at
	// the first event of each part. With 0, features depend on all events before
	// theirs.
	Batch int
}

// Parts is a dataset cut for one setting, with the features for a model.
// Train, Val and Test number their events as the whole stream does.
type Parts struct {
	Whole            Stream
	Train, Val, Test Stream
	TestStart        float64  // time of the first test event, seconds; of the last event if there is none
	NewNode          []bool   // marks nodes absent from Train (inductive); nil if transductive
	Batch            int      // that of the Cut
	Substituted      bool     // the file has no features, so these are the dataset's substitute
	Velocity         bool     // the columns of Velocity follow the others
	Columns          []string // names of the features

	deriver   *Deriver
	shared    []Stream // whose memory all trials with these parts share
	checksums []uint32 // of the columns of shared
	fitted    *sync.Map
}

// Fitted returns fit(), the numbers that the model of the key takes of the training
// part, and computes them once for all trials with these parts.
func (p Parts) Fitted(key string, fit func() [][]float64) [][]float64 {
	if p.fitted == nil {
		return fit()
	}
	numbers, _ := p.fitted.LoadOrStore(key, sync.OnceValue(fit))
	return numbers.(func() [][]float64)()
}

// Deriver returns one that makes the features of the events of the whole stream,
// and of later ones, from those of the file. Its history is empty.
func (p Parts) Deriver() *Deriver { return p.deriver.fresh() }

// Scored reports whether a validation or test event between these nodes is
// scored: always in the transductive setting, and in the inductive one if at
// least one of them is new.
func (p Parts) Scored(src, dst int32) bool {
	return p.NewNode == nil || p.NewNode[src] || p.NewNode[dst]
}

// NumScored returns the number of scored events of a validation or test part.
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
// Derived columns are computed over the whole stream, and scaled with the
// train part of the setting, without held-out nodes. Events that are excluded
// from the train part are in none of its windows, but before later ones.
func (l *Loaded) Parts(cut Cut) (Parts, error) {
	train, newNode, err := l.train(cut.Setting)
	if err != nil {
		return Parts{}, err
	}
	p := Parts{Whole: l.Stream, NewNode: newNode, Batch: cut.Batch, Velocity: cut.Velocity, Columns: l.Dataset.columnNames(l.Stream.NumFeat), fitted: new(sync.Map)}
	columns := l.Dataset.Features
	if len(columns) == 0 && cut.NeedFeatures && l.Stream.NumFeat == 0 {
		columns = l.Dataset.Substitute
		if p.Substituted = len(columns) > 0; !p.Substituted && !cut.Velocity {
			return Parts{}, fmt.Errorf("dataset %s has no features, which this model needs", l.Dataset.Name)
		}
	}
	if cut.Velocity {
		if len(columns) == 0 {
			columns = []Derived{Raw()}
		}
		columns = append(slices.Clip(columns), Velocity())
	}
	p.deriver, err = newDeriver(columns, p.Columns)
	if len(columns) == 0 {
		p.deriver, err = newDeriver([]Derived{Raw()}, p.Columns)
	} else if err == nil {
		trained := train(l.Stream)
		p.Columns = p.deriver.Columns()
		p.Whole, err = p.deriver.fit(l.Stream, trained, l.begins(trained, cut.Batch))
	}
	if err != nil {
		return Parts{}, fmt.Errorf("dataset %s: %w", l.Dataset.Name, err)
	}
	parts := l.Split.Parts(p.Whole)
	p.Train, p.Val, p.Test = train(p.Whole), parts[1], parts[2]
	p.TestStart = p.Whole.Time[min(l.Split.ValEnd, p.Whole.Len()-1)]
	p.shared = []Stream{p.Whole}
	if newNode != nil {
		p.shared = append(p.shared, p.Train) // a copy
	}
	p.checksums = checksums(p.shared)
	return p, nil
}

// begins marks the first event of each window of batch events, in each part; it
// is nil if every event is a window.
func (l *Loaded) begins(train Stream, batch int) []bool {
	if batch <= 1 {
		return nil
	}
	begins := make([]bool, l.Stream.Len())
	parts := l.Split.Parts(l.Stream)
	parts[0] = train // of the setting
	for _, part := range parts {
		for k := 0; k < part.Len(); k += batch {
			begins[part.EventID(k)] = true
		}
	}
	return begins
}

// WithoutTruth returns the parts without the simulator's hidden state.
func (p Parts) WithoutTruth() Parts {
	for _, s := range []*Stream{&p.Whole, &p.Train, &p.Val, &p.Test} {
		s.Truth = nil
	}
	return p
}

// train returns a function that takes the setting's train part of the stream,
// and marks the nodes that are not in it.
func (l *Loaded) train(setting protocol.Setting) (take func(Stream) Stream, newNode []bool, err error) {
	switch setting {
	case protocol.Transductive:
		return func(s Stream) Stream { return s.Slice(0, l.Split.TrainEnd) }, nil, nil
	case protocol.Inductive:
		if err := l.Dataset.checkMemory(inductiveBytes(l.Stream, l.Split.TrainEnd)); err != nil {
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

// inductiveBytes returns the memory for the train part of the inductive setting:
// lists of nodes and events, the longest of which is copied as it grows, and the
// part's own columns.
func inductiveBytes(s Stream, trainEnd int) int64 {
	const grown = 9 * 8 / 4 // numbers of events; the list grows by a quarter
	return Bytes(trainEnd, s.NumFeat) + int64(trainEnd)*(4+grown) + 2*int64(s.NumNodes)
}

// withoutNodes returns the events that involve none of the nodes, and marks the
// nodes without such an event.
func withoutNodes(s Stream, nodes []int32) (events []int, absent []bool) {
	out := make([]bool, s.NumNodes)
	for _, n := range nodes {
		out[n] = true
	}
	absent = slices.Repeat([]bool{true}, s.NumNodes)
	for k := range s.Len() {
		if u, v := s.Src[k], s.Dst[k]; !out[u] && !out[v] {
			events = append(events, k)
			absent[u], absent[v] = false, false
		}
	}
	return events, absent
}

// checksums returns the checksums of the streams' columns.
func checksums(streams []Stream) (sums []uint32) {
	table := crc32.MakeTable(crc32.Castagnoli) // processors compute it
	for _, s := range streams {
		for _, column := range s.columns() {
			sums = append(sums, crc32.Checksum(column, table))
		}
	}
	return sums
}

// Changed returns the name of a column, such as "labels", that somebody wrote to
// since the dataset was cut, or "".
func (p Parts) Changed() string {
	for i, sum := range checksums(p.shared) {
		if sum != p.checksums[i] {
			return columnNames[i%len(columnNames)]
		}
	}
	return ""
}
