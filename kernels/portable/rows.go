package portable

import (
	"slices"

	"dgsbench/kernels"
)

// Rows are rows of a matrix, Stride numbers apart: row i of them is its row
// Index[i], or row i without an index.
type Rows[T Float] struct {
	Of     []T
	Stride int
	Index  []int32
}

// part is rows lo to hi-1.
func (r Rows[T]) part(lo, hi int) Rows[T] {
	if r.Index != nil {
		r.Index = r.Index[lo:hi]
	} else {
		r.Of = r.Of[min(lo*r.Stride, len(r.Of)):]
	}
	return r
}

// at is the number of row i in the matrix.
func (r Rows[T]) at(i int) int {
	if r.Index != nil {
		return int(r.Index[i])
	}
	return i
}

func copyRows[T Float](rows, cols int, to, from Rows[T]) {
	for i := range rows {
		if r := to.at(i); r >= 0 {
			copy(to.Of[r*to.Stride:][:cols], from.Of[from.at(i)*from.Stride:][:cols])
		}
	}
}

// divideCopies copies rows on all threads.
func (d *Device[T]) divideCopies(rows, cols int, to, from Rows[T]) {
	d.rows = rowsWork[T]{k: d.k, kernel: copyOfRows, cols: cols, to: to, from: from}
	d.Divide(rows, 2*rows*cols, d.runRows)
}

func (d *Device[T]) GatherRows(rows, srcRows, cols int, dst, src kernels.Buffer, index kernels.Ints) {
	to, from := d.in(dst, rows*cols), d.in(src, srcRows*cols)
	if cols == 1 {
		for i, r := range listed(index, rows) {
			to[i] = from[r]
		}
		return
	}
	d.divideCopies(rows, cols, Rows[T]{to, cols, nil}, Rows[T]{from, cols, listed(index, rows)})
}

func (d *Device[T]) ScatterRows(rows, cols int, dst, src kernels.Buffer, index kernels.Ints) {
	checkPlaces("ScatterRows", listed(index, rows))
	d.PutRows(rows, cols, dst, src, index)
}

// checkPlaces panics if a row is to go to a negative one.
func checkPlaces(op string, to []int32) {
	if len(to) > 0 && slices.Min(to) < 0 {
		panic("kernels: " + op + " to a negative row")
	}
}

func (d *Device[T]) PutRows(rows, cols int, dst, src kernels.Buffer, index kernels.Ints) {
	d.k.CopyRows(rows, cols, Rows[T]{d.Elements(dst), cols, listed(index, rows)}, Rows[T]{d.in(src, rows*cols), cols, nil})
}

func (d *Device[T]) CopyRows(rows, cols int, dst kernels.Buffer, dstStride int, src kernels.Buffer, srcStride int) {
	d.divideCopies(rows, cols, Rows[T]{d.Elements(dst), dstStride, nil}, Rows[T]{d.Elements(src), srcStride, nil})
}

func (d *Device[T]) MoveRows(rows, cols int, dst kernels.Buffer, to kernels.Ints, src kernels.Buffer, from kernels.Ints) {
	checkPlaces("MoveRows", listed(to, rows))
	d.divideCopies(rows, cols, Rows[T]{d.Elements(dst), cols, listed(to, rows)}, Rows[T]{d.Elements(src), cols, listed(from, rows)})
}

func (d *Device[T]) ScatterAddRows(rows, dstRows, cols int, dst, src kernels.Buffer, index kernels.Ints) {
	to, from := d.in(dst, dstRows*cols), d.in(src, rows*cols)
	for i, r := range listed(index, rows) {
		row := to[int(r)*cols:][:cols]
		d.k.Add(row, row, from[i*cols:][:cols])
	}
}

// ContractRows works on as many columns at once as the scratch has elements.
func (d *Device[T]) ContractRows(
	rows, srcRows, cols int, dst kernels.Group, w kernels.Buffer, src kernels.Group, index kernels.Ints, y kernels.Group,
) {
	k, weights, list := d.k, d.in(w, rows*cols), listed(index, rows)
	for g, to := range dst.(group[T]) {
		to, from := to[:cols], src.(group[T])[g][:srcRows*cols]
		clear(to)
		for lo := 0; lo < cols; lo += len(d.scratch) {
			part := to[lo:min(cols, lo+len(d.scratch))]
			product := d.scratch[:len(part)]
			for i, r := range list {
				k.Mul(product, weights[i*cols+lo:][:len(part)], from[int(r)*cols+lo:][:len(part)])
				k.Add(part, part, product)
			}
		}
		if y != nil {
			k.SigmoidGrad(to, to, y.(group[T])[g][:cols])
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

func (d *Device[T]) LayerNorm(rows, cols int, eps float64, dst, hat, inverse, x, scale, shift kernels.Buffer) {
	k, n := d.k, rows*cols
	to, hats, from := d.in(dst, n), d.in(hat, n), d.in(x, n)
	factors, by, plus := d.in(inverse, rows), d.in(scale, cols), d.in(shift, cols)
	for i := range factors {
		row, out, in := hats[i*cols:][:cols], to[i*cols:][:cols], from[i*cols:][:cols]
		k.Affine(row, in, 1, -k.Sum(in)/T(cols))
		factors[i] = 1 / sqrt(k.Dot(row, row)/T(cols)+T(eps))
		k.Affine(row, row, factors[i], 0)
		k.Mul(out, row, by)
		k.Add(out, out, plus)
	}
}

// LayerNormGrad is, with t = g scale and means over the row,
//
//	dx = inverse (t - mean of t - hat (mean of t hat))
//	dscale = sum over rows of g hat,  dshift = sum over rows of g
func (d *Device[T]) LayerNormGrad(rows, cols int, dx, dscale, dshift, g, hat, inverse, scale kernels.Buffer) {
	k, n := d.k, rows*cols
	to, gradients, hats, by := d.in(dx, n), d.in(g, n), d.in(hat, n), d.in(scale, cols)
	ofScale, ofShift := d.zeros(dscale, cols), d.zeros(dshift, cols)
	for i, factor := range d.in(inverse, rows) {
		t, row, gradient := to[i*cols:][:cols], hats[i*cols:][:cols], gradients[i*cols:][:cols]
		k.AddMul(ofScale, gradient, row)
		k.Add(ofShift, ofShift, gradient)
		k.Mul(t, gradient, by)
		mean, slope := k.Sum(t)/T(cols), k.Dot(t, row)/T(cols)
		k.Affine(t, t, factor, -mean*factor)
		k.Axpy(t, row, -slope*factor)
	}
}

func (d *Device[T]) UnitRows(rows, cols int, eps float64, dst, inverse, x kernels.Buffer) {
	to, factors, from := d.in(dst, rows*cols), d.in(inverse, rows), d.in(x, rows*cols)
	for i := range factors {
		row := from[i*cols:][:cols]
		factors[i] = 1 / max(sqrt(d.k.Dot(row, row)), T(eps))
		d.k.Affine(to[i*cols:][:cols], row, factors[i], 0)
	}
}

func (d *Device[T]) UnitRowsGrad(rows, cols int, dx, g, y, inverse kernels.Buffer) {
	to, gradients, units := d.in(dx, rows*cols), d.in(g, rows*cols), d.in(y, rows*cols)
	for i, factor := range d.in(inverse, rows) {
		row, gradient, unit := to[i*cols:][:cols], gradients[i*cols:][:cols], units[i*cols:][:cols]
		along := d.k.Dot(gradient, unit)
		d.k.Affine(row, gradient, factor, 0)
		d.k.Axpy(row, unit, -along*factor)
	}
}
