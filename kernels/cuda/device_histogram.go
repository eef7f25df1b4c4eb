//go:build gpu

package cuda

import "dgsbench/kernels"

// Bucketize is dst = first[j] + the number of edges at or below x.
func (d *Device) Bucketize(rows, cols, edgeRows int, dst kernels.Ints, x, edges kernels.Buffer, first kernels.Ints) {
	n := rows * cols
	d.eachNumber("bucketize", rows, cols, whole(edgeRows), list(dst, n), at(x, n), at(edges, edgeRows*cols), list(first, cols))
}

// SumRows is dst[i] = the sum of rows of table.
func (d *Device) SumRows(rows, terms, tableRows, cols int, dst, table kernels.Buffer, index kernels.Ints) {
	d.eachNumber("sum_rows", rows, cols, whole(terms), at(dst, rows*cols), below(rows*terms, tableRows), at(table, tableRows*cols), list(index, rows*terms), d.fault())
}

// FoldBuckets makes new states from old ones and the buckets of events.
func (d *Device) FoldBuckets(f *kernels.Fold, dst kernels.Buffer, buckets kernels.Ints, features int) {
	var room [mostParameters]uint64
	d.eachNumber("fold_buckets", f.Rows, f.Cols, append(fold(room[:0], f, dst), list(buckets, f.Events*features), whole(features), d.fault())...)
}

// FoldRows makes new states from old ones and a row of each event.
func (d *Device) FoldRows(f *kernels.Fold, dst, rows kernels.Buffer) {
	var room [mostParameters]uint64
	d.eachNumber("fold_rows", f.Rows, f.Cols, append(fold(room[:0], f, dst), at(rows, f.Events*f.Cols), d.fault())...)
}

// fold adds the parameters that both have.
func fold(parameters []uint64, f *kernels.Fold, dst kernels.Buffer) []uint64 {
	return append(parameters,
		at(dst, f.Rows*f.Cols), below(f.Rows, f.Nodes), at(f.Table, f.Nodes*f.Cols), list(f.Self, f.Rows), list(f.Other, f.Rows),
		below(f.Rows, f.Events), list(f.Event, f.Rows),
		at(f.Keep, f.Rows), at(f.Mix, f.Rows), at(f.Hit, f.Rows))
}
