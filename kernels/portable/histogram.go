package portable

import "dgsbench/kernels"

func (d *Device[T]) Bucketize(rows, cols, edgeRows int, dst kernels.Ints, x, edges kernels.Buffer, first kernels.Ints) {
	to, from, limits, starts := listed(dst, rows*cols), d.in(x, rows*cols), d.in(edges, edgeRows*cols), listed(first, cols)
	for at := 0; at < len(from); at += cols {
		d.k.BucketizeRow(to[at:][:cols], from[at:][:cols], limits, starts, edgeRows)
	}
}

func bucketizeRow[T Float](dst []int32, x, edges []T, first []int32, edgeRows int) {
	for j, v := range x {
		bucket := first[j]
		for e := range edgeRows {
			if edges[e*len(first)+j] <= v {
				bucket++
			}
		}
		dst[j] = bucket
	}
}

// rowsWork is a kernel on rows that may be divided over threads. Its operands
// are kept in the device, so that calls allocate nothing.
type rowsWork[T Float] struct {
	k                  *Kernels[T]
	kernel             rowsKernel
	dst, src           []T
	index              []int32
	cols, terms        int
	to, from           Rows[T] // of copies
	self, other, event []int32 // of folds, as the rest
	keep, mix, hit     []T
	table              []T
}

type rowsKernel int

const (
	sumOfRows rowsKernel = iota
	foldOfBuckets
	foldOfRows
	copyOfRows
)

// row is one row of a matrix, cols wide.
func (w *rowsWork[T]) row(of []T, i int32) []T { return of[int(i)*w.cols:][:w.cols] }

// run is the part of rows lo to hi-1.
func (w *rowsWork[T]) run(lo, hi int) {
	switch dst, src, cols := w.dst, w.src, w.cols; w.kernel {
	case sumOfRows:
		w.k.SumRows(dst[lo*cols:hi*cols], cols, src, w.index[lo*w.terms:hi*w.terms], w.terms)
		return
	case copyOfRows:
		w.k.CopyRows(hi-lo, cols, w.to.part(lo, hi), w.from.part(lo, hi))
		return
	}
	for i := lo; i < hi; i++ {
		dst, self, other := w.row(w.dst, int32(i)), w.row(w.table, w.self[i]), w.row(w.table, w.other[i])
		if w.kernel == foldOfRows {
			w.k.FoldAddRow(dst, self, other, w.row(w.src, w.event[i]), w.keep[i], w.mix[i], w.hit[i])
			continue
		}
		w.k.FoldRow(dst, self, other, w.keep[i], w.mix[i])
		for _, at := range w.index[int(w.event[i])*w.terms:][:w.terms] {
			dst[at] += w.hit[i]
		}
	}
}

func foldRow[T Float](dst, self, other []T, keep, mix T) {
	for j := range dst {
		dst[j] = fma(keep, self[j], T(mix*other[j]))
	}
}

func foldAddRow[T Float](dst, self, other, row []T, keep, mix, hit T) {
	for j := range dst {
		dst[j] = fma(hit, row[j], fma(keep, self[j], T(mix*other[j])))
	}
}

func sumRows[T Float](dst []T, cols int, table []T, index []int32, terms int) {
	for i := range len(dst) / max(cols, 1) {
		row := dst[i*cols:][:cols]
		clear(row)
		for _, r := range index[i*terms:][:terms] {
			for j, v := range table[int(r)*cols:][:cols] {
				row[j] += v
			}
		}
	}
}

func (d *Device[T]) SumRows(rows, terms, tableRows, cols int, dst, table kernels.Buffer, index kernels.Ints) {
	d.rows = rowsWork[T]{
		k: d.k, kernel: sumOfRows, dst: d.in(dst, rows*cols), src: d.in(table, tableRows*cols),
		index: listed(index, rows*terms), cols: cols, terms: terms,
	}
	d.Divide(rows, rows*terms*cols, d.runRows)
}

func (d *Device[T]) FoldBuckets(f *kernels.Fold, dst kernels.Buffer, buckets kernels.Ints, features int) {
	d.setFold(foldOfBuckets, f, dst)
	d.rows.index, d.rows.terms = listed(buckets, f.Events*features), features
	d.Divide(f.Rows, f.Rows*f.Cols, d.runRows)
}

func (d *Device[T]) FoldRows(f *kernels.Fold, dst, rows kernels.Buffer) {
	d.setFold(foldOfRows, f, dst)
	d.rows.src = d.in(rows, f.Events*f.Cols)
	d.Divide(f.Rows, f.Rows*f.Cols, d.runRows)
}

func (d *Device[T]) setFold(kernel rowsKernel, f *kernels.Fold, dst kernels.Buffer) {
	d.rows = rowsWork[T]{
		k: d.k, kernel: kernel, dst: d.in(dst, f.Rows*f.Cols), cols: f.Cols, table: d.in(f.Table, f.Nodes*f.Cols),
		self: listed(f.Self, f.Rows), other: listed(f.Other, f.Rows), event: listed(f.Event, f.Rows),
		keep: d.in(f.Keep, f.Rows), mix: d.in(f.Mix, f.Rows), hit: d.in(f.Hit, f.Rows),
	}
}
