package portable

// Fold says how rows of new states are made from old ones and from events;
// see [kernels.Fold].
type Fold[T Float] struct {
	Cols               int
	Table              []T
	Self, Other, Event []int32
	Keep, Mix, Hit     []T
}

// Rows are rows lo to hi-1 of the fold.
func (f *Fold[T]) Rows(lo, hi int) Fold[T] {
	part := *f
	part.Self, part.Other, part.Event = f.Self[lo:hi], f.Other[lo:hi], f.Event[lo:hi]
	part.Keep, part.Mix, part.Hit = f.Keep[lo:hi], f.Mix[lo:hi], f.Hit[lo:hi]
	return part
}

// State is the old state of a node.
func (f *Fold[T]) State(node int32) []T { return f.Table[int(node)*f.Cols:][:f.Cols] }

// FoldBuckets is dst = keep self + mix other, and then hit more at the
// buckets of the row's event.
func FoldBuckets[T Float](dst []T, f *Fold[T], buckets []int32, features int) {
	for i := range f.Self {
		row := dst[i*f.Cols:][:f.Cols]
		foldRow(row, f, i)
		AddAt(row, f.Hit[i], buckets[int(f.Event[i])*features:][:features])
	}
}

// FoldRows is dst = keep self + mix other + hit row, the row being that of
// the event.
func FoldRows[T Float](dst []T, f *Fold[T], rows []T) {
	for i := range f.Self {
		row := dst[i*f.Cols:][:f.Cols]
		foldRow(row, f, i)
		for j, v := range rows[int(f.Event[i])*f.Cols:][:f.Cols] {
			row[j] = fma(f.Hit[i], v, row[j])
		}
	}
}

// foldRow is the part of row i that comes of the old states.
func foldRow[T Float](dst []T, f *Fold[T], i int) {
	self, other := f.State(f.Self[i]), f.State(f.Other[i])
	for j := range dst {
		dst[j] = fma(f.Keep[i], self[j], T(f.Mix[i]*other[j]))
	}
}

// AddAt adds v to the numbers of x that the index names.
func AddAt[T Float](x []T, v T, index []int32) {
	for _, at := range index {
		x[at] += v
	}
}

// SumRows is dst[i] = the sum of the rows of table that row i of the index
// names, in order. Rows of dst and table are cols wide, those of the index
// terms.
func SumRows[T Float](dst []T, cols int, table []T, index []int32, terms int) {
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

// Bucketize is dst[i,j] = first[j] + the number of edges[.,j] at or below
// x[i,j]; rows are len(first) wide.
func Bucketize[T Float](dst []int32, x, edges []T, first []int32) {
	cols := len(first)
	for i, v := range x {
		bucket := first[i%cols]
		for e := i % cols; e < len(edges); e += cols {
			if edges[e] <= v {
				bucket++
			}
		}
		dst[i] = bucket
	}
}

// MoveRows copies row from[i] of src to row to[i] of dst.
func MoveRows[T any](dst []T, to []int32, src []T, from []int32, cols int) {
	for i, r := range to {
		copy(dst[int(r)*cols:][:cols], src[int(from[i])*cols:][:cols])
	}
}
