// Package buckets turns features into bucket numbers: the function delta of
// Graph-Sprints, which two variants of Deep-Graph-Sprints use, too.
package buckets

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"dgsbench/datasets"
	"dgsbench/internal/lists"
	"dgsbench/kernels"
)

// Buckets turns feature rows into bucket numbers. The buckets of all
// columns stand side by side in one vector of Size entries.
type Buckets struct {
	Edges  [][]float64 // per column, ascending and distinct
	Offset []int       // first bucket of the column
	size   int
}

// New takes, for every feature column, the distinct ones among the
// percentiles 100/n, 200/n ... of the training part as edges: at most n
// buckets a column. Percentiles are interpolated linearly at position
// p/100 (rows-1) of the sorted column, in float64; a constant column has
// one edge and two buckets.
func New(train datasets.Stream, n int) *Buckets {
	edges := make([][]float64, train.NumFeat)
	lists.Parallel(len(edges), func(c int) error {
		column := make([]float64, train.Len())
		for k := range column {
			column[k] = float64(train.Feat[k*train.NumFeat+c])
		}
		slices.Sort(column)
		edges[c] = distinctPercentiles(column, n)
		return nil
	})
	b := &Buckets{}
	for _, own := range edges {
		b.add(own)
	}
	return b
}

// Of returns the buckets with the given edges, as Buckets.Edges has them, or those of New
// where there are none. columns is the number of features.
func Of(edges [][]float64, train datasets.Stream, columns, n int) (*Buckets, error) {
	if edges == nil {
		return New(train, n), nil
	}
	if len(edges) != columns {
		return nil, fmt.Errorf("bucket edges of %d features, expected %d", len(edges), columns)
	}
	b := &Buckets{}
	for c, own := range edges {
		ascends := slices.IsSortedFunc(own, func(a, b float64) int { return cmp.Or(cmp.Compare(a, b), 1) })
		if len(own) >= n || !ascends || slices.ContainsFunc(own, func(e float64) bool { return math.IsNaN(e) || math.IsInf(e, 0) }) {
			return nil, fmt.Errorf("bucket edges of feature %d: expected fewer than %d finite numbers that ascend", c, n)
		}
		b.add(own)
	}
	return b, nil
}

// add appends a column with the given edges.
func (b *Buckets) add(edges []float64) {
	b.Edges = append(b.Edges, edges)
	b.Offset = append(b.Offset, b.size)
	b.size += len(edges) + 1
}

func distinctPercentiles(sorted []float64, n int) []float64 {
	var edges []float64
	for i := 1; i < n && len(sorted) > 0; i++ {
		edges = append(edges, datasets.Quantile(sorted, float64(i)/float64(n)))
	}
	return slices.Compact(edges)
}

// Size is the number of buckets of all columns together.
func (b *Buckets) Size() int { return b.size }

// Row writes the bucket of every feature of the row: the number of edges at
// or below the value, plus the column's offset. A value on an edge goes up.
// No feature may be NaN.
func (b *Buckets) Row(features []float32, out []int32) {
	for c, f := range features {
		bucket := b.Offset[c]
		for _, e := range b.Edges[c] {
			if e > float64(f) {
				break
			}
			bucket++
		}
		out[c] = int32(bucket)
	}
}

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
