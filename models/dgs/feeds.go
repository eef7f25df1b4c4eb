package dgs

import (
	"sync/atomic"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/nn"
)

// feeds bring a batch to the network's programs for inference, and put new
// states away. Each block of rows fetches its own, in the thread that works on
// them.
type feeds struct {
	batch   datasets.Stream
	states  *states
	encoder *encoder
	bad     atomic.Bool // a feature is not finite
}

// features copies the events' features.
func (f *feeds) features(p nn.Part) func() {
	return func() {
		width := f.batch.NumFeat
		x := f.batch.Feat[p.First*width:][:p.Rows()*width]
		p.Device.Write(p.At, x)
		if !p.Device.Finite(len(x), p.At) {
			f.bad.Store(true)
		}
	}
}

// encoded writes E of buckets.
func (f *feeds) encoded(p nn.Part) func() {
	own := f.encoder.another(p.Most)
	return func() {
		part := f.batch.Slice(p.First, p.First+p.Rows())
		for _, x := range part.Feat {
			if !models.Finite(x) {
				f.bad.Store(true)
				return
			}
		}
		p.Device.Write(p.At, own.encode(part))
	}
}

// sources and destinations are the states of the events' ends.
func (f *feeds) sources(p nn.Part) func() {
	return f.read(p, func() []int32 { return f.states.halves.from.source })
}

func (f *feeds) destinations(p nn.Part) func() {
	return f.read(p, func() []int32 { return f.states.halves.from.destination })
}

func (f *feeds) read(p nn.Part, from func() []int32) func() {
	index := p.Device.NewInts(p.Most)
	return func() {
		n, t := p.Rows(), f.states
		p.Device.WriteInts(index, from()[p.First:][:n])
		p.Device.GatherRows(n, 2*t.nodes, t.size, p.At, t.table, index)
	}
}

// sourcesAfter and destinationsAfter put away what becomes of them.
func (f *feeds) sourcesAfter(p nn.Part) func() {
	return f.write(p, func() []int32 { return f.states.halves.to.source })
}

func (f *feeds) destinationsAfter(p nn.Part) func() {
	return f.write(p, func() []int32 { return f.states.halves.to.destination })
}

func (f *feeds) write(p nn.Part, to func() []int32) func() {
	index := p.Device.NewInts(p.Most)
	return func() {
		n, t := p.Rows(), f.states
		p.Device.WriteInts(index, to()[p.First:][:n])
		p.Device.PutRows(n, t.size, t.table, p.At, index)
	}
}
