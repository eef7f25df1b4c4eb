package portable

// Mixture is what Mix reads: rows of Cols elements.
type Mixture[T Float] struct {
	Cols        int
	Self, Other []T
	E           []T // nil stands for zeros
	Alpha, Beta []T // Cols elements for all rows, or rows of their own with PerRow
	PerRow      bool
}

// MixtureGrad are the gradients of a [Mixture], each as long as Self. That of
// E is not set if the mixture has none.
type MixtureGrad[T Float] struct {
	Self, Other, E, Alpha, Beta []T
}

// Mix is dst = beta self + (1 - beta) ((1 - alpha) e + alpha other). dst may be
// any slice of m that is as long.
func (k *Kernels[T]) Mix(dst []T, m *Mixture[T]) {
	n := len(m.Alpha) // a row, or all
	for lo := 0; lo < len(dst); lo += n {
		hi := lo + n
		if m.E == nil {
			k.MixRowWithoutE(dst[lo:hi], m.Self[lo:hi], m.Other[lo:hi], m.Alpha, m.Beta)
		} else {
			k.MixRow(dst[lo:hi], m.Self[lo:hi], m.Other[lo:hi], m.E[lo:hi], m.Alpha, m.Beta)
		}
	}
}

func mixRow[T Float](dst, self, other, e, alpha, beta []T) {
	for i, b := range beta {
		dst[i] = fma(b, self[i], T((1-b)*inner(alpha[i], other[i], e[i])))
	}
}

func mixRowWithoutE[T Float](dst, self, other, alpha, beta []T) {
	for i, b := range beta {
		dst[i] = fma(b, self[i], T((1-b)*inner(alpha[i], other[i], 0)))
	}
}

// inner is alpha other + (1 - alpha) e.
func inner[T Float](alpha, other, e T) T { return fma(alpha, other, T((1-alpha)*e)) }

// MixGrad sets d from the gradient g of the result, each element by itself:
//
//	dself = beta g                      dbeta = g (self - inner)
//	dother = alpha (1 - beta) g         dalpha = (1 - beta) g (other - e)
//	de = (1 - alpha) (1 - beta) g
//
// with inner = alpha other + (1 - alpha) e.
func (k *Kernels[T]) MixGrad(d *MixtureGrad[T], m *Mixture[T], g []T) {
	n := len(m.Alpha)
	for lo := 0; lo < len(g); lo += n {
		hi := lo + n
		self, other, dself, dother, dalpha, dbeta := m.Self[lo:hi], m.Other[lo:hi], d.Self[lo:hi], d.Other[lo:hi], d.Alpha[lo:hi], d.Beta[lo:hi]
		if m.E == nil {
			k.MixRowGradWithoutE(dself, dother, dalpha, dbeta, g[lo:hi], self, other, m.Alpha, m.Beta)
		} else {
			k.MixRowGrad(dself, dother, d.E[lo:hi], dalpha, dbeta, g[lo:hi], self, other, m.E[lo:hi], m.Alpha, m.Beta)
		}
	}
}

func mixRowGrad[T Float](dself, dother, de, dalpha, dbeta, g, self, other, e, alpha, beta []T) {
	for i, v := range g {
		into := T(v * (1 - beta[i]))
		dself[i], dbeta[i] = v*beta[i], v*(self[i]-inner(alpha[i], other[i], e[i]))
		dother[i], dalpha[i] = into*alpha[i], into*(other[i]-e[i])
		de[i] = into * (1 - alpha[i])
	}
}

func mixRowGradWithoutE[T Float](dself, dother, dalpha, dbeta, g, self, other, alpha, beta []T) {
	for i, v := range g {
		into := T(v * (1 - beta[i]))
		dself[i], dbeta[i] = v*beta[i], v*(self[i]-inner(alpha[i], other[i], 0))
		dother[i], dalpha[i] = into*alpha[i], into*other[i]
	}
}

// Fold says how rows of new states are made from old ones and from events;
// see [kernels.Fold].
type Fold[T Float] struct {
	Cols               int
	Table              []T
	Self, Other, Event []int32
	Keep, Mix, Hit     []T
}

// Rows returns rows lo to hi-1 of the fold.
func (f *Fold[T]) Rows(lo, hi int) Fold[T] {
	part := *f
	part.Self, part.Other, part.Event = f.Self[lo:hi], f.Other[lo:hi], f.Event[lo:hi]
	part.Keep, part.Mix, part.Hit = f.Keep[lo:hi], f.Mix[lo:hi], f.Hit[lo:hi]
	return part
}

// state is the old state of a node.
func (f *Fold[T]) state(node int32) []T { return f.Table[int(node)*f.Cols:][:f.Cols] }

// FoldBuckets is dst = keep self + mix other, with hit added at the buckets of
// the row's event. dst must not overlap the table. A node, an event or a bucket
// that does not exist panics.
func (k *Kernels[T]) FoldBuckets(dst []T, f *Fold[T], buckets []int32, features int) {
	for i := range f.Self {
		row := dst[i*f.Cols:][:f.Cols]
		k.FoldRow(row, f.state(f.Self[i]), f.state(f.Other[i]), f.Keep[i], f.Mix[i])
		for _, at := range buckets[int(f.Event[i])*features:][:features] {
			row[at] += f.Hit[i]
		}
	}
}

// FoldRows is dst = keep self + mix other + hit row, the row being that of the
// event. dst must not overlap the table. A node or an event that does not exist
// panics.
func (k *Kernels[T]) FoldRows(dst []T, f *Fold[T], rows []T) {
	for i := range f.Self {
		k.FoldAddRow(dst[i*f.Cols:][:f.Cols], f.state(f.Self[i]), f.state(f.Other[i]), rows[int(f.Event[i])*f.Cols:][:f.Cols],
			f.Keep[i], f.Mix[i], f.Hit[i])
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

// Bucketize is dst[i,j] = first[j] + the number of edges[.,j] at or below
// x[i,j]; rows are len(first) wide.
func (k *Kernels[T]) Bucketize(dst []int32, x, edges []T, first []int32) {
	for cols, at := len(first), 0; at < len(x); at += cols {
		k.BucketizeRow(dst[at:][:cols], x[at:][:cols], edges, first, len(edges)/cols)
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
