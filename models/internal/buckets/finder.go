package buckets

import (
	"fmt"
	"math"

	"dgsbench/datasets"
	"dgsbench/kernels"
)

// Finder finds the buckets of whole batches on a device: the same ones as
// Row.
type Finder struct {
	device   kernels.Device
	cols     int
	edgeRows int
	edges    kernels.Buffer // edgeRows x cols
	first    kernels.Ints   // cols
	x        kernels.Buffer
	found    kernels.Ints
}

// On is a finder for batches of at most maxRows events.
func (b *Buckets) On(d kernels.Device, maxRows int) *Finder {
	f := &Finder{device: d, cols: len(b.Edges)}
	for _, edges := range b.Edges {
		f.edgeRows = max(f.edgeRows, len(edges))
	}
	edges, first := make([]float32, f.edgeRows*f.cols), make([]int32, f.cols)
	for i := range edges {
		edges[i] = float32(math.NaN()) // no edge
	}
	for c, own := range b.Edges {
		first[c] = int32(b.Offset[c])
		for r, e := range own {
			edges[r*f.cols+c] = roundUp(e)
		}
	}
	f.edges, f.first = d.NewBuffer(len(edges)), d.NewInts(f.cols)
	d.Write(f.edges, edges)
	d.WriteInts(f.first, first)
	f.x, f.found = d.NewBuffer(maxRows*f.cols), d.NewInts(maxRows*f.cols)
	return f
}

// roundUp is the smallest float32 that is at least e. A float32 is at or
// above the one if and only if it is at or above the other, so comparing in
// float32 loses nothing.
func roundUp(e float64) float32 {
	f := float32(e)
	if float64(f) < e {
		f = math.Nextafter32(f, float32(math.Inf(1)))
	}
	return f
}

// Find writes the buckets of the events' features, a row of NumFeat numbers
// an event. The list is valid until the next call. It fails on NaN.
func (f *Finder) Find(b datasets.Stream) (kernels.Ints, error) {
	f.device.Write(f.x, b.Feat)
	if !f.device.IsFinite(len(b.Feat), f.x) {
		for i, v := range b.Feat {
			if v != v {
				return nil, fmt.Errorf("event %d: feature %d is NaN", b.EventID(i/f.cols), i%f.cols)
			}
		}
	}
	f.device.Bucketize(b.Len(), f.cols, f.edgeRows, f.found, f.x, f.edges, f.first)
	return f.found, nil
}
