package cpu

import (
	"dgsbench/kernels"
	"dgsbench/kernels/portable"
)

// forwardWork is what the kernels of derivatives keep, so that they take no
// memory each time.
type forwardWork struct {
	ones []float32

	row  portable.BlockRow[float32]
	by   *kernels.BlockDerivatives
	y, z []float32 // of the row
	pull func()
}

// MixForward is Mix with derivatives.
func (d *Device) MixForward(m *kernels.Mixture, dst kernels.Buffer, f *kernels.MixtureForward) {
	for len(d.forward.ones) < m.Rows*m.Cols {
		d.forward.ones = append(d.forward.ones, 1)
	}
	d.Mix(m, dst)
	d.MixGrad(m, buffer(d.forward.ones), &f.Step)
	if f.Logits {
		eachMixture(m, func(in Mixture, lo, hi int) {
			d.throughSigmoid(f.Step.Alpha.(buffer)[lo:hi], in.Alpha)
			d.throughSigmoid(f.Step.Beta.(buffer)[lo:hi], in.Beta)
		})
	}
	d.carry(m, &f.Alpha, f.Step.Alpha)
	d.carry(m, &f.Beta, f.Step.Beta)
}

// throughSigmoid makes gradients of factors, the same for all rows or not,
// those of their logits.
func (d *Device) throughSigmoid(g, factors []float32) {
	for lo := 0; lo < len(g); lo += len(factors) {
		d.kernels.SigmoidGrad(g[lo:lo+len(factors)], g[lo:lo+len(factors)], factors)
	}
}

func (d *Device) carry(m *kernels.Mixture, t *kernels.Tangent, step kernels.Buffer) {
	of := *m
	of.Self, of.Other, of.E = t.Table, t.Table, nil
	d.Mix(&of, t.Dst)
	d.Add(m.Rows*m.Cols, t.Dst, t.Dst, step)
}

// BlockDerivatives are those of blocks that were rescaled.
func (d *Device) BlockDerivatives(b *kernels.BlockDerivatives) {
	w, n := &d.forward, b.Blocks*b.H
	if w.pull == nil {
		w.pull = d.pull
	}
	if len(w.row.Picked) != n {
		w.row.Picked, w.row.Pulled = make([]float32, n), make([]float32, n)
	}
	w.by, w.row.Blocks, w.row.H, w.row.Kept = b, b.Blocks, b.H, b.Kept
	for i, row := range b.Index.(ints)[:b.Rows] {
		w.y = b.Y.(buffer)[int(row)*n:][:n]
		if b.By == kernels.DivideSum {
			w.z = b.Z.(buffer)[int(row)*n:][:n]
		}
		w.row.P, w.row.Dst = b.P.(buffer)[i*n:][:n], b.Dst.(buffer)[i*b.Stride:][:n*b.Kept]
		w.row.Set(w.pull)
	}
}

// pull is the gradient of a row of z from that of y.
func (d *Device) pull() {
	w := &d.forward
	b, dz, g := w.by, w.row.Pulled, w.row.Picked
	switch b.By {
	case kernels.Softmax:
		d.kernels.SoftmaxBlocksGrad(dz, g, w.y, b.H, float32(b.Scale))
	case kernels.DivideSum:
		d.kernels.DivideSumBlocksGrad(dz, g, w.y, w.z, b.H, float32(b.Eps), float32(b.Floor))
	case kernels.Sparsemax:
		d.kernels.SparsemaxBlocksGrad(dz, g, w.y, b.H, float32(b.Scale))
	case kernels.Entmax:
		d.kernels.EntmaxBlocksGrad(dz, g, w.y, b.H, float32(b.Scale))
	}
}

// ContractRows are the sums over i of w[i,j] src[index[i],j], in order.
func (d *Device) ContractRows(rows, srcRows, cols int, dst kernels.Group, w kernels.Buffer, src kernels.Group, index kernels.Ints, y kernels.Group) {
	for k, sums := range dst.(group) {
		sums = sums[:cols]
		portable.ContractRows(d.kernels, sums, take(w, rows*cols), src.(group)[k][:srcRows*cols], d.scratch[0], index.(ints)[:rows])
		if y != nil {
			d.kernels.SigmoidGrad(sums, sums, y.(group)[k][:cols])
		}
	}
}

// CommitRows copies row i of each buffer to row index[i] of another.
func (d *Device) CommitRows(rows, cols int, dst, src kernels.Group, index kernels.Ints) {
	if d.seen.Bad() {
		return
	}
	for k, to := range dst.(group) {
		d.ScatterRows(rows, cols, to, src.(group)[k], index)
	}
}
