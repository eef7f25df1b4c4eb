package graphsprints

import (
	"fmt"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/models/internal/buckets"
	"dgsbench/models/internal/lastwrite"
)

// states is the table of node histograms and its update rule. Nothing
// one-hot is ever materialised: delta is a list of bucket numbers.
type states struct {
	alpha   float32
	forget  forgetting
	buckets *buckets.Buckets
	k       int       // buckets in all: length of a state
	s       []float32 // nodes x k
	row     []int32   // scratch: buckets of every event of the batch
	staged  []float32 // scratch: surviving writes of the batch
	finder  *lastwrite.Finder
}

func newStates(o *Options, b *buckets.Buckets, numNodes, maxBatch, numFeat int) *states {
	return &states{
		alpha: float32(o.Alpha), forget: newForgetting(o, numNodes), buckets: b, k: b.Size(),
		s:      make([]float32, numNodes*b.Size()),
		row:    make([]int32, maxBatch*numFeat),
		staged: make([]float32, 2*maxBatch*b.Size()),
		finder: lastwrite.NewFinder(numNodes),
	}
}

// of is the state of a node.
func (t *states) of(node int32) []float32 { return t.s[int(node)*t.k:][:t.k] }

// Gather writes the states of the nodes, a row each.
func (t *states) Gather(d kernels.Device, nodes []int32, dst kernels.Buffer) {
	for i, n := range nodes {
		d.Write(d.View(dst, i*t.k, t.k), t.of(n))
	}
}

// read finds the buckets of every event of the batch; after and fold use
// them.
func (t *states) read(b datasets.Stream) error {
	for k := range b.Len() {
		if err := t.buckets.Row(b.Features(k), t.eventBuckets(b, k)); err != nil {
			return fmt.Errorf("event %d: %w", b.EventID(k), err)
		}
	}
	return nil
}

func (t *states) eventBuckets(b datasets.Stream, k int) []int32 {
	return t.row[k*b.NumFeat:][:b.NumFeat]
}

// after writes the state that node self has after event k with the other
// endpoint, both read as they are in the table.
func (t *states) after(b datasets.Stream, k int, self, other int32, out []float32) {
	beta := t.forget.beta(self, b.Time[k])
	mix := (1 - beta) * t.alpha
	so := t.of(other)
	for i, v := range t.of(self) {
		out[i] = beta*v + mix*so[i]
	}
	hit := (1 - beta) * (1 - t.alpha)
	for _, bucket := range t.eventBuckets(b, k) {
		out[bucket] += hit
	}
}

// fold advances the table by the batch and returns the writes made. All
// reads come before the first write.
func (t *states) fold(b datasets.Stream) []lastwrite.Write {
	writes := t.finder.Writes(b)
	for i, w := range writes {
		t.after(b, int(w.Event), w.Self, w.Other, t.staged[i*t.k:][:t.k])
	}
	for i, w := range writes {
		copy(t.of(w.Self), t.staged[i*t.k:][:t.k])
		t.forget.seen(w.Self, b.Time[w.Event])
	}
	return writes
}

// reset empties all histograms.
func (t *states) reset() {
	clear(t.s)
	t.forget.reset()
}

// tensors are the live state.
func (t *states) tensors() []models.Tensor {
	histograms := models.Tensor{Name: "S", Shape: []int{len(t.s) / t.k, t.k}, F32: t.s}
	return append([]models.Tensor{histograms}, t.forget.tensors()...)
}
