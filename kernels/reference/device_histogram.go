package reference

import (
	"dgsbench/kernels"
	"dgsbench/kernels/portable"
)

// Bucketize is dst = first[j] + the number of edges at or below x.
func (Device) Bucketize(rows, cols, edgeRows int, dst kernels.Ints, x, edges kernels.Buffer, first kernels.Ints) {
	portable.Bucketize(dst.(ints)[:rows*cols], take(x, rows*cols), take(edges, edgeRows*cols), first.(ints)[:cols])
}

// SumRows is dst[i] = the sum of rows of table.
func (Device) SumRows(rows, terms, tableRows, cols int, dst, table kernels.Buffer, index kernels.Ints) {
	portable.SumRows(take(dst, rows*cols), cols, take(table, tableRows*cols), index.(ints)[:rows*terms], terms)
}

// FoldBuckets makes new states from old ones and the buckets of events.
func (Device) FoldBuckets(f *kernels.Fold, dst kernels.Buffer, buckets kernels.Ints, features int) {
	exact := fold(f)
	portable.FoldBuckets(take(dst, f.Rows*f.Cols), &exact, buckets.(ints)[:f.Events*features], features)
}

// FoldRows makes new states from old ones and a row of each event.
func (Device) FoldRows(f *kernels.Fold, dst, rows kernels.Buffer) {
	exact := fold(f)
	portable.FoldRows(take(dst, f.Rows*f.Cols), &exact, take(rows, f.Events*f.Cols))
}

func fold(f *kernels.Fold) portable.Fold[float64] {
	return portable.Fold[float64]{
		Cols: f.Cols, Table: take(f.Table, f.Nodes*f.Cols),
		Self: f.Self.(ints)[:f.Rows], Other: f.Other.(ints)[:f.Rows], Event: f.Event.(ints)[:f.Rows],
		Keep: take(f.Keep, f.Rows), Mix: take(f.Mix, f.Rows), Hit: take(f.Hit, f.Rows),
	}
}

// MoveRows copies row from[i] of src to row to[i] of dst.
func (Device) MoveRows(rows, cols int, dst kernels.Buffer, to kernels.Ints, src kernels.Buffer, from kernels.Ints) {
	portable.MoveRows(dst.(buffer), to.(ints)[:rows], src.(buffer), from.(ints)[:rows], cols)
}
