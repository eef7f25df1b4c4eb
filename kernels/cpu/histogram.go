package cpu

//go:generate go run ./internal/gen/histogram

import (
	"fmt"

	"dgsbench/kernels/portable"
)

// Fold is what FoldBuckets and FoldRows read; see [portable.Fold].
type Fold = portable.Fold[float32]

// FoldBuckets is dst = keep*self + mix*other, and then hit more at the
// buckets of the row's event; see [portable.FoldBuckets]. dst must not
// overlap the table. A node, an event or a bucket that does not exist panics.
func (k Kernels) FoldBuckets(dst []float32, f *Fold, buckets []int32, features int) {
	checkFold("FoldBuckets", f, len(dst))
	if k.level == Portable {
		portable.FoldBuckets(dst, f, buckets, features)
		return
	}
	for i := range f.Self {
		row, self, other := dst[i*f.Cols:][:f.Cols], f.State(f.Self[i]), f.State(f.Other[i])
		if k.level == AVX512 {
			foldRowAVX512(row, self, other, f.Keep[i], f.Mix[i])
		} else {
			foldRowAVX2(row, self, other, f.Keep[i], f.Mix[i])
		}
		portable.AddAt(row, f.Hit[i], buckets[int(f.Event[i])*features:][:features])
	}
}

// FoldRows is dst = keep*self + mix*other + hit*row, the row being that of
// the event; see [portable.FoldRows]. dst must not overlap the table. A node
// or an event that does not exist panics.
func (k Kernels) FoldRows(dst []float32, f *Fold, rows []float32) {
	checkFold("FoldRows", f, len(dst))
	if k.level == Portable {
		portable.FoldRows(dst, f, rows)
		return
	}
	for i := range f.Self {
		to, self, other := dst[i*f.Cols:][:f.Cols], f.State(f.Self[i]), f.State(f.Other[i])
		row := rows[int(f.Event[i])*f.Cols:][:f.Cols]
		if k.level == AVX512 {
			foldAddAVX512(to, self, other, row, f.Keep[i], f.Mix[i], f.Hit[i])
		} else {
			foldAddAVX2(to, self, other, row, f.Keep[i], f.Mix[i], f.Hit[i])
		}
	}
}

func checkFold(kernel string, f *Fold, n int) {
	same(kernel, n, len(f.Self)*f.Cols)
	same(kernel, len(f.Self), len(f.Other), len(f.Event), len(f.Keep), len(f.Mix), len(f.Hit))
}

// SumRows is dst[i] = the sum of the rows of table that row i of the index
// names, in order. Rows of dst and table are cols wide, those of the index
// terms. A row that does not exist panics.
func (k Kernels) SumRows(dst []float32, cols int, table []float32, index []int32, terms int) {
	if cols == 0 {
		return
	}
	rows := len(dst) / cols
	same("SumRows", len(index), rows*terms)
	if k.level == Portable {
		portable.SumRows(dst, cols, table, index, terms)
		return
	}
	step := sumRegisters * k.lanes()
	for at := 0; at < cols; at += step {
		for i := range rows {
			k.sumPart(dst[i*cols+at:], table, index[i*terms:][:terms], cols, at, min(step, cols-at))
		}
	}
}

// sumRegisters is how many registers hold the sums of a part of a row.
const sumRegisters = 8

// sumPart sums width columns of the rows, from column at on.
func (k Kernels) sumPart(dst, table []float32, index []int32, cols, at, width int) {
	if len(index) == 0 {
		clear(dst[:width])
		return
	}
	rows, inside := len(table)/cols, false
	if rows > 0 && k.level == AVX512 {
		inside = sumRowsAVX512(&dst[:width][0], table[at:], index, rows, cols, width)
	} else if rows > 0 {
		inside = sumRowsAVX2(&dst[:width][0], table[at:], index, rows, cols, width)
	}
	if !inside {
		panic(fmt.Sprintf("cpu: SumRows of a row outside 0 to %d", rows-1))
	}
}

// lanes of a register.
func (k Kernels) lanes() int {
	if k.level == AVX512 {
		return 16
	}
	return 8
}

// Bucketize is dst[i,j] = first[j] + the number of edges[.,j] at or below
// x[i,j]; see [portable.Bucketize]. Rows are len(first) wide.
func (k Kernels) Bucketize(dst []int32, x, edges []float32, first []int32) {
	same("Bucketize", len(dst), len(x))
	if len(first) == 0 {
		same("Bucketize", len(x), 0)
		return
	}
	checkBlocks("Bucketize", len(x), len(first))
	checkBlocks("Bucketize", len(edges), len(first))
	cols := len(first)
	for at := 0; at < len(x); at += cols {
		switch k.level {
		case AVX512:
			bucketizeAVX512(dst[at:][:cols], x[at:][:cols], edges, first, len(edges)/cols)
		case AVX2:
			bucketizeAVX2(dst[at:][:cols], x[at:][:cols], edges, first, len(edges)/cols)
		default:
			portable.Bucketize(dst[at:][:cols], x[at:][:cols], edges, first)
		}
	}
}
