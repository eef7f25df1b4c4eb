package portable

import "dgsbench/kernels"

func (d *Device[T]) Zero(n int, dst kernels.Buffer) { clear(d.in(dst, n)) }

func (d *Device[T]) Add(n int, dst, a, b kernels.Buffer) {
	d.k.Add(d.in(dst, n), d.in(a, n), d.in(b, n))
}

func (d *Device[T]) Mul(n int, dst, a, b kernels.Buffer) {
	d.k.Mul(d.in(dst, n), d.in(a, n), d.in(b, n))
}

func (d *Device[T]) Affine(n int, dst kernels.Buffer, a float64, x kernels.Buffer, b float64) {
	d.k.Affine(d.in(dst, n), d.in(x, n), T(a), T(b))
}

func (d *Device[T]) AddReLU(n int, dst, a, b kernels.Buffer) {
	to := d.in(dst, n)
	d.k.Add(to, d.in(a, n), d.in(b, n))
	d.k.ReLU(to, to)
}

func (d *Device[T]) ReLUGrad(n int, dst, y, g kernels.Buffer) {
	d.k.ReLUGrad(d.in(dst, n), d.in(g, n), d.in(y, n))
}

func (d *Device[T]) Sigmoid(n int, dst, x kernels.Buffer) { d.k.Sigmoid(d.in(dst, n), d.in(x, n)) }

func (d *Device[T]) SigmoidGrad(n int, dx, g, y kernels.Buffer) {
	d.k.SigmoidGrad(d.in(dx, n), d.in(g, n), d.in(y, n))
}

func (d *Device[T]) Clamp(n int, dst kernels.Buffer, low, high float64) {
	x, least, most := d.in(dst, n), T(low), T(high)
	for i, v := range x { // faster than min and max
		if v <= least {
			x[i] = least
		} else if v >= most {
			x[i] = most
		}
	}
}

func (d *Device[T]) ColumnSums(rows, cols int, dst, x kernels.Buffer) {
	sums, from := d.zeros(dst, cols), d.in(x, rows*cols)
	for i := range rows {
		d.k.Add(sums, sums, from[i*cols:][:cols])
	}
}

// zeros is in, with the elements set to zero.
func (d *Device[T]) zeros(b kernels.Buffer, n int) []T {
	x := d.in(b, n)
	clear(x)
	return x
}

// BCE sums in float64, in order within pieces as long as the scratch.
func (d *Device[T]) BCE(rows int, loss, z, y, w kernels.Buffer) {
	logits, targets, weights := d.in(z, rows), d.in(y, rows), d.in(w, rows)
	sum := 0.0
	for lo := 0; lo < rows; lo += len(d.scratch) {
		hi := min(rows, lo+len(d.scratch))
		each := d.scratch[:hi-lo]
		d.k.BCELoss(each, logits[lo:hi], targets[lo:hi], weights[lo:hi])
		of := 0.0
		for _, v := range each {
			of += float64(v)
		}
		sum += of
	}
	d.in(loss, 1)[0] = T(sum)
}

func (d *Device[T]) BCEGrad(rows int, dz, z, y, w, g kernels.Buffer) {
	d.k.BCEGrad(d.in(dz, rows), d.in(z, rows), d.in(y, rows), d.in(w, rows), d.in(g, 1)[0])
}
