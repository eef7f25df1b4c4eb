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
	bad     atomic.Bool // a feature cannot be fed
	// badState says that a new state is not finite.
	badState atomic.Bool
}

// encoded writes E of buckets.
func (f *feeds) encoded(p nn.Part) func() {
	own := f.encoder.another(p.Most)
	return func() {
		part := f.batch.Slice(p.First, p.First+p.Rows())
		if !nn.Within(part.Feat) {
			f.bad.Store(true)
			return
		}
		p.Device.Write(p.At, own.encode(part))
	}
}

// refused reports what the programs have found about the batch.
func (f *feeds) refused() error {
	switch {
	case f.bad.Load():
		return models.BadFeature(f.batch)
	case f.badState.Load():
		return models.BadState(f.batch)
	}
	return nil
}
