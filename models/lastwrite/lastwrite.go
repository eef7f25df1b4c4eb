// Package lastwrite finds which of a batch's state writes survive: all
// occurrences of a node read its state from before the batch, and the last
// one in stream order is kept (the paper's mini-batch rule).
package lastwrite

import (
	"iter"

	"dgsbench/datasets"
)

// Write is the surviving occurrence of one node.
type Write struct {
	Event       int32 // within the batch
	Self, Other int32 // nodes
}

// Finder holds the scratch memory for graphs of one size.
type Finder struct {
	position []int32 // of a node in writes, +1; 0 between calls
	writes   []Write
}

// NewFinder serves graphs of n nodes.
func NewFinder(n int) *Finder { return &Finder{position: make([]int32, n)} }

// Writes lists one write for every node of the batch, in order of first
// occurrence. Of one event the source occurs before the destination; a self
// loop is one occurrence. The list is valid until the next call.
func (f *Finder) Writes(b datasets.Stream) []Write {
	f.writes = f.writes[:0]
	for k := range b.Len() {
		f.put(Write{Event: int32(k), Self: b.Src[k], Other: b.Dst[k]})
		f.put(Write{Event: int32(k), Self: b.Dst[k], Other: b.Src[k]})
	}
	for _, w := range f.writes {
		f.position[w.Self] = 0
	}
	return f.writes
}

func (f *Finder) put(w Write) {
	if p := f.position[w.Self]; p > 0 {
		f.writes[p-1] = w
		return
	}
	f.writes = append(f.writes, w)
	f.position[w.Self] = int32(len(f.writes))
}

// Selves yields the nodes that are written.
func Selves(writes []Write) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for _, w := range writes {
			if !yield(w.Self) {
				return
			}
		}
	}
}
