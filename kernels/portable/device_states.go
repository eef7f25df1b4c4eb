package portable

import "dgsbench/kernels"

func (d *Device[T]) Sigmoid(n int, dst, x kernels.Buffer) { d.k.Sigmoid(d.in(dst, n), d.in(x, n)) }

func (d *Device[T]) SigmoidGrad(n int, dx, g, y kernels.Buffer) {
	d.k.SigmoidGrad(d.in(dx, n), d.in(g, n), d.in(y, n))
}

func (d *Device[T]) Mix(m *kernels.Mixture, dst kernels.Buffer) {
	d.eachMixture(m, func(in Mixture[T], lo, hi int) { d.k.Mix(d.Elements(dst)[lo:hi], &in) })
}

func (d *Device[T]) MixGrad(m *kernels.Mixture, g kernels.Buffer, grad *kernels.MixtureGrad) {
	d.mixGrad(m, d.Elements(g), grad)
}

func (d *Device[T]) mixGrad(m *kernels.Mixture, g []T, grad *kernels.MixtureGrad) {
	d.eachMixture(m, func(in Mixture[T], lo, hi int) {
		out := MixtureGrad[T]{
			Self: d.Elements(grad.Self)[lo:hi], Other: d.Elements(grad.Other)[lo:hi],
			Alpha: d.Elements(grad.Alpha)[lo:hi], Beta: d.Elements(grad.Beta)[lo:hi],
		}
		if m.E != nil {
			out.E = d.Elements(grad.E)[lo:hi]
		}
		d.k.MixGrad(&out, &in, g[lo:hi])
	})
}

// eachMixture calls f with the whole mixture or, if its rows are listed, with
// each row, and with the range of elements of the result.
func (d *Device[T]) eachMixture(m *kernels.Mixture, f func(in Mixture[T], lo, hi int)) {
	n, factors := m.Rows*m.Cols, m.Cols
	if m.From == nil {
		if m.PerRow {
			factors = n
		}
		f(Mixture[T]{
			Cols: m.Cols, Self: d.in(m.Self, n), Other: d.in(m.Other, n), E: d.optional(m.E, n),
			Alpha: d.in(m.Alpha, factors), Beta: d.in(m.Beta, factors), PerRow: m.PerRow,
		}, 0, n)
		return
	}
	self, other, e := m.From.Self.(ints), m.From.Other.(ints), m.From.E.(ints)
	row := func(b kernels.Buffer, i int32) []T { return d.Elements(b)[int(i)*m.Cols:][:m.Cols] }
	for i := range m.Rows {
		in := Mixture[T]{Cols: m.Cols, Self: row(m.Self, self[i]), Other: row(m.Other, other[i])}
		if m.E != nil {
			in.E = row(m.E, e[i])
		}
		if m.PerRow {
			in.Alpha, in.Beta = row(m.Alpha, e[i]), row(m.Beta, e[i])
		} else {
			in.Alpha, in.Beta = d.in(m.Alpha, m.Cols), d.in(m.Beta, m.Cols)
		}
		f(in, i*m.Cols, (i+1)*m.Cols)
	}
}

func (d *Device[T]) SparsemaxBlocks(n, h int, scale float64, dst, x kernels.Buffer) {
	SparsemaxBlocks(d.blocks(dst, n, h), d.in(x, n), h, T(scale))
}

func (d *Device[T]) SparsemaxBlocksGrad(n, h int, scale float64, dx, g, y kernels.Buffer) {
	SparsemaxBlocksGrad(d.blocks(dx, n, h), d.in(g, n), d.in(y, n), h, T(scale))
}

func (d *Device[T]) EntmaxBlocks(n, h int, scale float64, dst, x kernels.Buffer) {
	EntmaxBlocks(d.blocks(dst, n, h), d.in(x, n), h, T(scale))
}

func (d *Device[T]) EntmaxBlocksGrad(n, h int, scale float64, dx, g, y kernels.Buffer) {
	EntmaxBlocksGrad(d.blocks(dx, n, h), d.in(g, n), d.in(y, n), h, T(scale))
}

func (d *Device[T]) MixForward(m *kernels.Mixture, dst kernels.Buffer, f *kernels.MixtureForward) {
	for len(d.ones) < m.Rows*m.Cols {
		d.ones = append(d.ones, 1)
	}
	d.Mix(m, dst)
	d.mixGrad(m, d.ones, &f.Step)
	if f.Logits {
		d.eachMixture(m, func(in Mixture[T], lo, hi int) {
			d.throughSigmoid(d.Elements(f.Step.Alpha)[lo:hi], in.Alpha)
			d.throughSigmoid(d.Elements(f.Step.Beta)[lo:hi], in.Beta)
		})
	}
	for _, t := range []struct {
		kernels.Tangent
		step kernels.Buffer
	}{{f.Alpha, f.Step.Alpha}, {f.Beta, f.Step.Beta}} {
		of := *m
		of.Self, of.Other, of.E = t.Table, t.Table, nil
		d.Mix(&of, t.Dst)
		d.Add(m.Rows*m.Cols, t.Dst, t.Dst, t.step)
	}
}

// throughSigmoid turns gradients of factors, which may be the same for all
// rows, into those of their logits.
func (d *Device[T]) throughSigmoid(g, factors []T) {
	for lo := 0; lo < len(g); lo += len(factors) {
		d.k.SigmoidGrad(g[lo:lo+len(factors)], g[lo:lo+len(factors)], factors)
	}
}

// BlockDerivatives goes through one element of each block at a time, by the
// gradient of the rescaling.
func (d *Device[T]) BlockDerivatives(b *kernels.BlockDerivatives) {
	n := b.Blocks * b.H
	if len(d.picked) != n {
		d.picked, d.pulled = make([]T, n), make([]T, n)
	}
	for i, row := range listed(b.Index, b.Rows) {
		y, z := d.Elements(b.Y)[int(row)*n:][:n], []T(nil)
		if b.By == kernels.DivideSum {
			z = d.Elements(b.Z)[int(row)*n:][:n]
		}
		p, dst := d.Elements(b.P)[i*n:][:n], d.Elements(b.Dst)[i*b.Stride:][:n*b.Kept]
		for r := range b.H {
			for at := r; at < n; at += b.H {
				d.picked[at] = p[at]
			}
			d.rescalingGrad(b, d.pulled, d.picked, y, z)
			for at := 0; at < n; at += b.H {
				dst = dst[copy(dst, d.pulled[at:at+b.Kept]):]
				d.picked[at+r] = 0
			}
		}
	}
}

func (d *Device[T]) rescalingGrad(b *kernels.BlockDerivatives, dz, g, y, z []T) {
	switch b.By {
	case kernels.Softmax:
		d.k.SoftmaxBlocksGrad(dz, g, y, b.H, T(b.Scale))
	case kernels.DivideSum:
		d.k.DivideSumBlocksGrad(dz, g, y, z, b.H, T(b.Eps), T(b.Floor))
	case kernels.Sparsemax:
		SparsemaxBlocksGrad(dz, g, y, b.H, T(b.Scale))
	case kernels.Entmax:
		EntmaxBlocksGrad(dz, g, y, b.H, T(b.Scale))
	}
}

func (d *Device[T]) ContractRows(
	rows, srcRows, cols int, dst kernels.Group, w kernels.Buffer, src kernels.Group, index kernels.Ints, y kernels.Group,
) {
	for g, to := range dst.(group[T]) {
		to := to[:cols]
		d.k.ContractRows(to, d.in(w, rows*cols), src.(group[T])[g][:srcRows*cols], d.scratch, listed(index, rows))
		if y != nil {
			d.k.SigmoidGrad(to, to, y.(group[T])[g][:cols])
		}
	}
}

func (d *Device[T]) CommitRows(rows, cols int, dst, src kernels.Group, index kernels.Ints) {
	if d.FoundBad() {
		return
	}
	for g, to := range dst.(group[T]) {
		d.ScatterRows(rows, cols, to, src.(group[T])[g], index)
	}
}

func (d *Device[T]) Bucketize(rows, cols, edgeRows int, dst kernels.Ints, x, edges kernels.Buffer, first kernels.Ints) {
	d.k.Bucketize(listed(dst, rows*cols), d.in(x, rows*cols), d.in(edges, edgeRows*cols), listed(first, cols))
}

// rowsWork is a kernel on rows that may be divided over threads. Its operands
// are kept in the device, so that calls allocate nothing.
type rowsWork[T Float] struct {
	k           *Kernels[T]
	kernel      rowsKernel
	fold        Fold[T]
	dst, src    []T
	index, from []int32
	cols, terms int
}

type rowsKernel int

const (
	sumOfRows rowsKernel = iota
	foldOfBuckets
	foldOfRows
	moveOfRows
)

// run is the part of rows lo to hi-1.
func (w *rowsWork[T]) run(lo, hi int) {
	if w.kernel == moveOfRows {
		MoveRows(w.dst, w.index[lo:hi], w.src, w.from[lo:hi], w.cols)
		return
	}
	dst := w.dst[lo*w.cols : hi*w.cols]
	if w.kernel == sumOfRows {
		w.k.SumRows(dst, w.cols, w.src, w.index[lo*w.terms:hi*w.terms], w.terms)
		return
	}
	part := w.fold.Rows(lo, hi)
	if w.kernel == foldOfBuckets {
		w.k.FoldBuckets(dst, &part, w.index, w.terms)
	} else {
		w.k.FoldRows(dst, &part, w.src)
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
	d.rows = rowsWork[T]{k: d.k, kernel: kernel, dst: d.in(dst, f.Rows*f.Cols), cols: f.Cols, fold: Fold[T]{
		Cols: f.Cols, Table: d.in(f.Table, f.Nodes*f.Cols),
		Self: listed(f.Self, f.Rows), Other: listed(f.Other, f.Rows), Event: listed(f.Event, f.Rows),
		Keep: d.in(f.Keep, f.Rows), Mix: d.in(f.Mix, f.Rows), Hit: d.in(f.Hit, f.Rows),
	}}
}

func (d *Device[T]) MoveRows(rows, cols int, dst kernels.Buffer, to kernels.Ints, src kernels.Buffer, from kernels.Ints) {
	d.rows = rowsWork[T]{
		k: d.k, kernel: moveOfRows, dst: d.Elements(dst), src: d.Elements(src), index: listed(to, rows), from: listed(from, rows), cols: cols,
	}
	d.Divide(rows, rows*cols, d.runRows)
}
