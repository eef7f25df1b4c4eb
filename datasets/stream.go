package datasets

import "fmt"

// Unlabelled is the label of an event whose class is not known.
const Unlabelled int8 = -1

// Stream is a columnar, immutable sequence of timed interactions, in stream
// order: time never decreases, and events of equal time keep the order of
// their file. It is a view, like a slice: copying it copies no event.
//
// All columns have one entry an event; Feat has NumFeat. Label is nil in a
// stream WithoutLabels.
type Stream struct {
	Src, Dst []int32   // nodes, 0 .. NumNodes-1
	Time     []float64 // seconds from the first event of the dataset
	Label    []int8    // 0, 1 or Unlabelled
	Feat     []float32 // events x NumFeat, row major
	NumFeat  int
	NumNodes int
	// Users is the boundary of a bipartite graph: sources are below it,
	// destinations at or above it. It is 0 where any node may be either.
	Users int
	// Truth is what a simulator knows of its events; nil where nobody does.
	// Only models of class Oracle may ask it.
	Truth Truth

	first int     // number of event 0 within the whole stream
	ids   []int32 // event numbers, where events were left out; else nil
}

// Len is the number of events.
func (s Stream) Len() int { return len(s.Src) }

// Bipartite reports whether sources and destinations are disjoint sets.
func (s Stream) Bipartite() bool { return s.Users > 0 }

// Features is the feature row of event k, NumFeat long. Callers must not
// write to it.
func (s Stream) Features(k int) []float32 {
	return s.Feat[k*s.NumFeat : (k+1)*s.NumFeat : (k+1)*s.NumFeat]
}

// EventID is the number of event k within the whole stream, also when
// events were left out before it.
func (s Stream) EventID(k int) int {
	if s.ids != nil {
		return int(s.ids[k])
	}
	return s.first + k
}

// Slice is the window of events lo .. hi-1. It copies nothing.
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

// Destinations lists the nodes that are a destination anywhere in the
// stream, ascending: the candidates a link can be ranked against.
func (s Stream) Destinations() []int32 { return s.among(s.Dst) }

// Nodes lists the nodes that take part in an event of the stream, ascending.
func (s Stream) Nodes() []int32 { return s.among(s.Src, s.Dst) }

// among lists the nodes in the columns, ascending.
func (s Stream) among(columns ...[]int32) []int32 {
	is, n := make([]bool, s.NumNodes), 0
	for _, column := range columns {
		for _, v := range column {
			if !is[v] {
				is[v] = true
				n++
			}
		}
	}
	out := make([]int32, 0, n)
	for v, yes := range is {
		if yes {
			out = append(out, int32(v))
		}
	}
	return out
}

// Select copies the given events, in the given (ascending) order.
func (s Stream) Select(events []int) Stream {
	n := len(events)
	out := s
	out.Src, out.Dst = make([]int32, n), make([]int32, n)
	out.Time = make([]float64, n)
	if s.Label != nil {
		out.Label = make([]int8, n)
	}
	out.Feat = make([]float32, n*s.NumFeat)
	out.first, out.ids = 0, make([]int32, n)
	for i, k := range events {
		out.Src[i], out.Dst[i] = s.Src[k], s.Dst[k]
		out.Time[i] = s.Time[k]
		if s.Label != nil {
			out.Label[i] = s.Label[k]
		}
		copy(out.Feat[i*s.NumFeat:], s.Features(k))
		out.ids[i] = int32(s.EventID(k))
	}
	return out
}

// WithoutLabels is the same stream as it is seen before any label is known:
// Label is nil.
func (s Stream) WithoutLabels() Stream {
	s.Label = nil
	return s
}

// From is the same stream with event 0 numbered first within the whole
// stream: a chunk of a stream that nobody holds as a whole.
func (s Stream) From(first int) Stream {
	s.first, s.ids = first, nil
	return s
}

// WithFeatures is the same stream with another feature matrix, events x n.
// It panics when the matrix has another size.
func (s Stream) WithFeatures(feat []float32, n int) Stream {
	if len(feat) != s.Len()*n {
		panic(fmt.Sprintf("datasets: %d feature values for %d events x %d", len(feat), s.Len(), n))
	}
	s.Feat, s.NumFeat = feat, n
	return s
}
