package datasets

import (
	"fmt"
	"iter"
)

// Unlabelled is the label of an event whose class is unknown.
const Unlabelled int8 = -1

// Stream is a columnar, immutable sequence of timed interactions, in stream
// order: time never decreases, and events of equal time keep the order of
// their file. It is a view, like a slice: copying it copies no event.
//
// All columns have one entry per event; Feat has NumFeat. Label is nil in a
// stream WithoutLabels.
type Stream struct {
	Src, Dst []int32   // nodes, 0 .. NumNodes-1
	Time     []float64 // seconds from the first event of the dataset
	Label    []int8    // 0, 1 or Unlabelled
	Feat     []float32 // events x NumFeat, row major
	NumFeat  int
	NumNodes int
	// Users is the boundary of a bipartite graph: sources are below it,
	// destinations at or above it. It is 0 if any node may be either.
	Users int
	// Truth is the hidden state of the simulator that made the stream, or nil.
	// Only models of class Oracle may use it.
	Truth Truth

	first int     // number of event 0 in the whole stream
	ids   []int32 // numbers of the events, if some were left out; else nil
}

// Truth is the hidden state of the simulator that made a stream. Events are
// identified by their EventID, so that answers do not change with Slice, Select
// and WithFeatures. Implementations must be safe for concurrent use.
type Truth interface {
	// Logit returns the log-odds that the event's label is 1, given the history
	// up to and including the event.
	Logit(event int) float64

	// Links computes a score for every candidate that rises with the probability
	// that it is the event's destination, given the source and the history
	// before the event. scores has one entry per candidate.
	Links(event int, candidates []int32, scores []float32)

	// Bytes returns the memory in bytes that Links or Logit takes.
	Bytes(links bool) int64
}

// NewStream returns a stream of events of zeros, each with that many features.
func NewStream(events, features int) Stream {
	return Stream{
		Src: make([]int32, events), Dst: make([]int32, events), Time: make([]float64, events), Label: make([]int8, events),
		Feat: make([]float32, events*features), NumFeat: features,
	}
}

// Len returns the number of events.
func (s Stream) Len() int { return len(s.Src) }

// Bipartite reports whether sources and destinations are disjoint sets.
func (s Stream) Bipartite() bool { return s.Users > 0 }

// Features returns the feature row of event k, NumFeat long. Callers must not
// write to it.
func (s Stream) Features(k int) []float32 {
	return s.Feat[k*s.NumFeat : (k+1)*s.NumFeat : (k+1)*s.NumFeat]
}

// EventID returns the number of event k in the whole stream, also if events
// were left out before it.
func (s Stream) EventID(k int) int {
	if s.ids != nil {
		return int(s.ids[k])
	}
	return s.first + k
}

// Slice returns the window of events lo .. hi-1. It copies nothing.
func (s Stream) Slice(lo, hi int) Stream {
	w := s
	w.Src, w.Dst = s.Src[lo:hi:hi], s.Dst[lo:hi:hi]
	w.Time = s.Time[lo:hi:hi]
	if s.Label != nil {
		w.Label = s.Label[lo:hi:hi]
	}
	w.Feat = s.Feat[lo*s.NumFeat : hi*s.NumFeat : hi*s.NumFeat]
	w.first = s.first + lo
	if s.ids != nil {
		w.ids = s.ids[lo:hi:hi]
	}
	return w
}

// Batches yields consecutive windows of size events; the last may be shorter.
func (s Stream) Batches(size int) iter.Seq[Stream] {
	return func(yield func(Stream) bool) {
		for lo := 0; lo < s.Len(); lo += size {
			if !yield(s.Slice(lo, min(lo+size, s.Len()))) {
				return
			}
		}
	}
}

// Destinations returns the nodes that are a destination anywhere in the
// stream, ascending: the candidates of link prediction.
func (s Stream) Destinations() []int32 { return s.distinct(s.Dst) }

// Nodes returns the nodes of the stream's events, ascending.
func (s Stream) Nodes() []int32 { return s.distinct(s.Src, s.Dst) }

// distinct returns the nodes in the columns, ascending.
func (s Stream) distinct(columns ...[]int32) []int32 {
	present, n := make([]bool, s.NumNodes), 0
	for _, column := range columns {
		for _, v := range column {
			if !present[v] {
				present[v] = true
				n++
			}
		}
	}
	out := make([]int32, 0, n)
	for v, is := range present {
		if is {
			out = append(out, int32(v))
		}
	}
	return out
}

// Select copies the given events, in the given (ascending) order.
func (s Stream) Select(events []int) Stream {
	out := s
	out.Src, out.Dst = pick(s.Src, events), pick(s.Dst, events)
	out.Time = pick(s.Time, events)
	if s.Label != nil {
		out.Label = pick(s.Label, events)
	}
	out.Feat = make([]float32, len(events)*s.NumFeat)
	out.first, out.ids = 0, make([]int32, len(events))
	for i, k := range events {
		copy(out.Feat[i*s.NumFeat:], s.Features(k))
		out.ids[i] = int32(s.EventID(k))
	}
	return out
}

// pick returns the elements of a column at the given places.
func pick[T any](column []T, places []int) []T {
	out := make([]T, len(places))
	for i, k := range places {
		out[i] = column[k]
	}
	return out
}

// WithoutLabels returns the stream as it is before any label is known: Label
// is nil.
func (s Stream) WithoutLabels() Stream {
	s.Label = nil
	return s
}

// From returns the same stream with its event 0 numbered first in the whole
// stream: a chunk of a stream that is never in memory as a whole.
func (s Stream) From(first int) Stream {
	s.first, s.ids = first, nil
	return s
}

// Numbered returns the same stream with its events so numbered in the whole stream,
// ascending.
func (s Stream) Numbered(events []int32) Stream {
	s.first, s.ids = 0, events
	return s
}

// WithFeatures returns the same stream with another feature matrix, events x n.
// It panics if the matrix has another size.
func (s Stream) WithFeatures(feat []float32, n int) Stream {
	if len(feat) != s.Len()*n {
		panic(fmt.Sprintf("datasets: %d feature values for %d events x %d", len(feat), s.Len(), n))
	}
	s.Feat, s.NumFeat = feat, n
	return s
}
