package reference

import (
	"dgsbench/kernels"
	"dgsbench/kernels/portable"
)

// MixForward is Mix with derivatives.
func (d Device) MixForward(m *kernels.Mixture, dst kernels.Buffer, f *kernels.MixtureForward) {
	ones := make(buffer, m.Rows*m.Cols)
	for i := range ones {
		ones[i] = 1
	}
	d.Mix(m, dst)
	d.MixGrad(m, ones, &f.Step)
	if f.Logits {
		eachMixture(m, func(in portable.Mixture[float64], lo, hi int) {
			throughSigmoid(f.Step.Alpha.(buffer)[lo:hi], in.Alpha)
			throughSigmoid(f.Step.Beta.(buffer)[lo:hi], in.Beta)
		})
	}
	d.carry(m, &f.Alpha, f.Step.Alpha)
	d.carry(m, &f.Beta, f.Step.Beta)
}

// throughSigmoid makes gradients of factors, the same for all rows or not,
// those of their logits.
func throughSigmoid(g, factors []float64) {
	for lo := 0; lo < len(g); lo += len(factors) {
		portable.SigmoidGrad(g[lo:lo+len(factors)], g[lo:lo+len(factors)], factors)
	}
}

func (d Device) carry(m *kernels.Mixture, t *kernels.Tangent, step kernels.Buffer) {
	of := *m
	of.Self, of.Other, of.E = t.Table, t.Table, nil
	d.Mix(&of, t.Dst)
	d.Add(m.Rows*m.Cols, t.Dst, t.Dst, step)
}

// BlockDerivatives are those of blocks that were rescaled.
func (d Device) BlockDerivatives(b *kernels.BlockDerivatives) {
	n := b.Blocks * b.H
	one := &portable.BlockRow[float64]{Blocks: b.Blocks, H: b.H, Kept: b.Kept, Picked: make(buffer, n), Pulled: make(buffer, n)}
	for i, row := range b.Index.(ints)[:b.Rows] {
		y, z := d.View(b.Y, int(row)*n, n), kernels.Buffer(nil)
		if b.By == kernels.DivideSum {
			z = d.View(b.Z, int(row)*n, n)
		}
		one.P, one.Dst = b.P.(buffer)[i*n:][:n], b.Dst.(buffer)[i*b.Stride:][:n*b.Kept]
		one.Set(func() { d.pull(b, n, buffer(one.Pulled), buffer(one.Picked), y, z) })
	}
}

// pull is the gradient of z from that of y.
func (d Device) pull(b *kernels.BlockDerivatives, n int, dz, g, y, z kernels.Buffer) {
	switch b.By {
	case kernels.Softmax:
		d.SoftmaxBlocksGrad(n, b.H, b.Scale, dz, g, y)
	case kernels.DivideSum:
		d.DivideSumBlocksGrad(n, b.H, b.Eps, b.Floor, dz, g, y, z)
	case kernels.Sparsemax:
		d.SparsemaxBlocksGrad(n, b.H, b.Scale, dz, g, y)
	case kernels.Entmax:
		d.EntmaxBlocksGrad(n, b.H, b.Scale, dz, g, y)
	}
}

// ContractRows are the sums over i of w[i,j] src[index[i],j], in order.
func (d Device) ContractRows(rows, srcRows, cols int, dst kernels.Group, w kernels.Buffer, src kernels.Group, index kernels.Ints, y kernels.Group) {
	for k, sums := range dst.(group) {
		portable.ContractRows(plain{}, sums[:cols], take(w, rows*cols), src.(group)[k][:srcRows*cols], make([]float64, max(1, cols)), index.(ints)[:rows])
		if y != nil {
			d.SigmoidGrad(cols, sums, sums, y.(group)[k])
		}
	}
}

// CommitRows copies row i of each buffer to row index[i] of another.
func (d Device) CommitRows(rows, cols int, dst, src kernels.Group, index kernels.Ints) {
	if d.seen.Bad() {
		return
	}
	for k, to := range dst.(group) {
		d.ScatterRows(rows, cols, to, src.(group)[k], index)
	}
}
