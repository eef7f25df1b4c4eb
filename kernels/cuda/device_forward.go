//go:build gpu

package cuda

import (
	"dgsbench/kernels"
)

// MixForward is Mix with derivatives.
func (d *Device) MixForward(m *kernels.Mixture, dst kernels.Buffer, f *kernels.MixtureForward) {
	n, e, step := m.Rows*m.Cols, uint64(0), &f.Step
	if m.E != nil {
		e = at(step.E, n)
	}
	var room [mostParameters]uint64
	d.eachNumber("mix_forward", m.Rows, m.Cols, append(mixture(room[:0], m), at(dst, n),
		at(step.Self, n), at(step.Other, n), e, at(step.Alpha, n), at(step.Beta, n), flag(f.Logits),
		at(f.Alpha.Table, 0), at(f.Alpha.Dst, n), at(f.Beta.Table, 0), at(f.Beta.Dst, n))...)
}

// derivativesOf are the kernels of BlockDerivatives.
var derivativesOf = map[kernels.Rescaling]string{
	kernels.Softmax: "softmax_derivatives", kernels.DivideSum: "divide_sum_derivatives",
	kernels.Sparsemax: "sparsemax_derivatives", kernels.Entmax: "entmax_derivatives",
}

// BlockDerivatives are those of blocks that were rescaled.
func (d *Device) BlockDerivatives(b *kernels.BlockDerivatives) {
	if b.Rows == 0 {
		return
	}
	n, z := b.Blocks*b.H, uint64(0)
	if b.By == kernels.DivideSum {
		z = at(b.Z, 0)
	}
	d.eachRow(derivativesOf[b.By], b.Rows*n, b.H, whole(b.Blocks), whole(b.Kept), at(b.Dst, (b.Rows-1)*b.Stride+n*b.Kept), whole(b.Stride),
		at(b.P, b.Rows*n), below(b.Rows, rowsOf(b.Y, n)), at(b.Y, 0), z, list(b.Index, b.Rows), single(b.Scale), single(b.Eps), single(b.Floor),
		d.fault())
}

// ContractRows are the sums over i of w[i,j] src[index[i],j].
func (d *Device) ContractRows(rows, srcRows, cols int, dst kernels.Group, w kernels.Buffer, src kernels.Group, index kernels.Ints, y kernels.Group) {
	var factors uint64
	if y != nil {
		factors = everyOne(y, cols)
	}
	if cols*dst.Buffers() == 0 {
		return
	}
	size := columnBlocks(cols)
	size.Blocks[1] = dst.Buffers()
	d.launch("contract_rows", size, whole(rows), whole(cols), everyOne(dst, cols), at(w, rows*cols), below(rows, srcRows), everyOne(src, srcRows*cols),
		list(index, rows), factors, d.fault())
}

// CommitRows copies row i of each buffer to row index[i] of another.
func (d *Device) CommitRows(rows, cols int, dst, src kernels.Group, index kernels.Ints) {
	if rows*dst.Buffers() == 0 {
		return
	}
	size := blocksOf(rows * warp)
	size.Blocks[1] = dst.Buffers()
	d.launch("commit_rows", size, whole(rows), whole(cols), below(rows, fewestRows(dst, cols)), where(dst), everyOne(src, rows*cols),
		list(index, rows), d.note(noteBad), d.fault())
}

// everyOne is the address of the table of a group of buffers, each of which has n
// numbers.
func everyOne(g kernels.Group, n int) uint64 {
	for _, b := range g.(*group).buffers {
		b.first(n)
	}
	return where(g)
}

// fewestRows is how many rows all buffers of a group have.
func fewestRows(g kernels.Group, cols int) int {
	fewest := rowsOf(g.(*group).buffers[0], cols)
	for _, b := range g.(*group).buffers {
		fewest = min(fewest, rowsOf(b, cols))
	}
	return fewest
}
