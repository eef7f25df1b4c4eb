// Package buckets turns features into bucket numbers: the function delta of
// Graph-Sprints, which two variants of Deep-Graph-Sprints use, too.
package buckets

import (
	"fmt"
	"slices"

	"dgsbench/datasets"
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
	b := &Buckets{}
	column := make([]float64, train.Len())
	for c := range train.NumFeat {
		for k := range column {
			column[k] = float64(train.Feat[k*train.NumFeat+c])
		}
		slices.Sort(column)
		b.add(distinctPercentiles(column, n))
	}
	return b
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
// It fails on NaN.
func (b *Buckets) Row(features []float32, out []int32) error {
	for c, f := range features {
		if f != f {
			return fmt.Errorf("feature %d is NaN", c)
		}
		bucket := b.Offset[c]
		for _, e := range b.Edges[c] {
			if e > float64(f) {
				break
			}
			bucket++
		}
		out[c] = int32(bucket)
	}
	return nil
}
