package portable

import (
	"slices"

	"dgsbench/kernels"
)

func (d *Device[T]) MixForward(m *kernels.Mixture, dst kernels.Buffer, f *kernels.MixtureForward) {
	if n := m.Rows * m.Cols; d.ones.Len() < n {
		d.ones = Buffer[T](slices.Repeat([]T{1}, n))
	}
	d.Mix(m, dst)
	d.MixGrad(m, d.ones, &f.Step)
	if f.Logits {
		d.eachPart(m, func(in mixture[T]) {
			for lo, n := in.lo, len(in.alpha); lo < in.hi; lo += n {
				alpha, beta := d.Elements(f.Step.Alpha)[lo:lo+n], d.Elements(f.Step.Beta)[lo:lo+n]
				d.k.SigmoidGrad(alpha, alpha, in.alpha)
				d.k.SigmoidGrad(beta, beta, in.beta)
			}
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
		sparsemaxBlocksGrad(dz, g, y, b.H, T(b.Scale))
	case kernels.Entmax:
		entmaxBlocksGrad(dz, g, y, b.H, T(b.Scale))
	}
}
