package cpu

import (
	"dgsbench/kernels"
	"dgsbench/kernels/portable"
)

// histogramWork is what the workers share of a kernel for histograms.
type histogramWork struct {
	fold        Fold
	dst, src    []float32
	index, from []int32
	rows, terms int // of the index
	parts       int

	// one worker's part of each
	foldBuckets, foldRows, sumRows, moveRows func(part int)
}

func (w *histogramWork) init(d *Device) {
	w.foldBuckets, w.foldRows, w.sumRows, w.moveRows = d.foldBucketsPart, d.foldRowsPart, d.sumRowsPart, d.moveRowsPart
}

// worthSplitting is how many numbers a kernel reads or writes at least if
// its rows are divided over the threads.
const worthSplitting = 1 << 17

// overRows runs the parts, one a worker, or all in one.
func (d *Device) overRows(numbers int, part func(int)) {
	d.histogram.parts = 1
	if numbers >= worthSplitting {
		d.histogram.parts = d.pool.Workers()
	}
	if d.histogram.parts == 1 {
		part(0)
		return
	}
	d.pool.Run(d.histogram.parts, part)
}

// Bucketize is dst = first[j] + the number of edges at or below x.
func (d *Device) Bucketize(rows, cols, edgeRows int, dst kernels.Ints, x, edges kernels.Buffer, first kernels.Ints) {
	d.kernels.Bucketize(dst.(ints)[:rows*cols], take(x, rows*cols), take(edges, edgeRows*cols), first.(ints)[:cols])
}

// SumRows is dst[i] = the sum of rows of table.
func (d *Device) SumRows(rows, terms, tableRows, cols int, dst, table kernels.Buffer, index kernels.Ints) {
	w := &d.histogram
	w.dst, w.src, w.fold.Cols = take(dst, rows*cols), take(table, tableRows*cols), cols
	w.index, w.terms, w.rows = index.(ints)[:rows*terms], terms, rows
	d.overRows(rows*terms*cols, w.sumRows)
}

func (d *Device) sumRowsPart(part int) {
	w := &d.histogram
	lo, hi := Split(w.rows, w.parts, part)
	cols := w.fold.Cols
	d.kernels.SumRows(w.dst[lo*cols:hi*cols], cols, w.src, w.index[lo*w.terms:hi*w.terms], w.terms)
}

// FoldBuckets makes new states from old ones and the buckets of events.
func (d *Device) FoldBuckets(f *kernels.Fold, dst kernels.Buffer, buckets kernels.Ints, features int) {
	w := &d.histogram
	w.take(f, dst)
	w.index, w.terms = buckets.(ints)[:f.Events*features], features
	d.overRows(f.Rows*f.Cols, w.foldBuckets)
}

func (d *Device) foldBucketsPart(part int) {
	w := &d.histogram
	lo, hi := Split(w.rows, w.parts, part)
	own := w.fold.Rows(lo, hi)
	d.kernels.FoldBuckets(w.dst[lo*own.Cols:hi*own.Cols], &own, w.index, w.terms)
}

// FoldRows makes new states from old ones and a row of each event.
func (d *Device) FoldRows(f *kernels.Fold, dst, rows kernels.Buffer) {
	w := &d.histogram
	w.take(f, dst)
	w.src = take(rows, f.Events*f.Cols)
	d.overRows(f.Rows*f.Cols, w.foldRows)
}

func (d *Device) foldRowsPart(part int) {
	w := &d.histogram
	lo, hi := Split(w.rows, w.parts, part)
	own := w.fold.Rows(lo, hi)
	d.kernels.FoldRows(w.dst[lo*own.Cols:hi*own.Cols], &own, w.src)
}

// take makes f the fold to be done.
func (w *histogramWork) take(f *kernels.Fold, dst kernels.Buffer) {
	w.fold = Fold{
		Cols: f.Cols, Table: take(f.Table, f.Nodes*f.Cols),
		Self: f.Self.(ints)[:f.Rows], Other: f.Other.(ints)[:f.Rows], Event: f.Event.(ints)[:f.Rows],
		Keep: take(f.Keep, f.Rows), Mix: take(f.Mix, f.Rows), Hit: take(f.Hit, f.Rows),
	}
	w.dst, w.rows = take(dst, f.Rows*f.Cols), f.Rows
}

// MoveRows copies row from[i] of src to row to[i] of dst.
func (d *Device) MoveRows(rows, cols int, dst kernels.Buffer, to kernels.Ints, src kernels.Buffer, from kernels.Ints) {
	w := &d.histogram
	w.dst, w.src, w.fold.Cols, w.rows = dst.(buffer), src.(buffer), cols, rows
	w.index, w.from = to.(ints)[:rows], from.(ints)[:rows]
	d.overRows(rows*cols, w.moveRows)
}

func (d *Device) moveRowsPart(part int) {
	w := &d.histogram
	lo, hi := Split(w.rows, w.parts, part)
	portable.MoveRows(w.dst, w.index[lo:hi], w.src, w.from[lo:hi], w.fold.Cols)
}
