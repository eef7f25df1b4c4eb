package dgs

import (
	"sync/atomic"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/nn"
)

// feeds bring a batch to the network's programs for inference. Each block of
// rows fetches its own, in the thread that works on them.
type feeds struct {
	batch   datasets.Stream
	states  *states
	encoder *encoder
	bad     atomic.Bool // a feature is not finite
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
