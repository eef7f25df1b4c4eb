package devicetest

import (
	"fmt"

	"dgsbench/kernels"
)

func histogramCases() []kernelCase {
	all := []kernelCase{
		{"FoldRows", 4, func(b *bench, n int) { b.FoldRows(fold(b, n), b.normal(testRows*n), b.normal(4*n)) }},
		{"FoldBuckets", 8, func(b *bench, n int) {
			f, features := fold(b, n), min(n, 40)
			b.FoldBuckets(f, b.normal(testRows*n), b.rows(f.Events*features, max(n, 1)), features)
		}},
		{"MoveRows", 1, func(b *bench, n int) {
			b.MoveRows(9, n, b.normal(12*n), b.list(6, 0, 3, 2, 8, 11, 1, 5, 9), b.normal(6*n), b.list(5, 5, 0, 1, 2, 4, 3, 0, 5))
		}},
	}
	for _, terms := range []int{0, 1, 7} {
		all = append(all, kernelCase{fmt.Sprintf("SumRows/%d", terms), 4, func(b *bench, n int) {
			b.SumRows(9, terms, 5, n, b.normal(9*n), b.normal(5*n), b.rows(9*terms, 5))
		}})
	}
	for _, edges := range []int{0, 1, 9} {
		all = append(all, kernelCase{fmt.Sprintf("Bucketize/%d", edges), 1, func(b *bench, n int) { bucketize(b, n, edges) }})
	}
	return all
}

// fold has states of n numbers, and rows that read the same state twice.
func fold(b *bench, n int) *kernels.Fold {
	return &kernels.Fold{
		Rows: testRows, Cols: n, Nodes: 6, Table: b.normal(6 * n),
		Self: b.list(5, 0, 2, 2, 1, 4, 5, 3, 0), Other: b.list(0, 5, 2, 3, 2, 1, 4, 4, 3),
		Events: 4, Event: b.list(0, 0, 2, 1, 3, 3, 1, 2, 0), Keep: b.normal(testRows), Mix: b.normal(testRows), Hit: b.normal(testRows),
	}
}

// bucketize shows the buckets as rows of a table that holds its own row
// numbers. The values are whole, so that some lie on an edge.
func bucketize(b *bench, n, edges int) {
	whole := func(n int) kernels.Buffer { return b.draw(n, func() float32 { return float32(b.rng.IntN(5)) }) }
	buckets, first, next := b.NewInts(testRows*n), make([]int32, n), int32(-1)
	for j := range first {
		first[j] = int32(2 * j)
	}
	b.Bucketize(testRows, n, edges, buckets, whole(testRows*n), whole(edges*n), b.list(first...))
	numbers := b.draw(2*n+edges, func() float32 { next++; return float32(next) })
	b.GatherRows(testRows*n, 2*n+edges, 1, b.normal(testRows*n), numbers, buckets)
}
