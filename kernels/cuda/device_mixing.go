//go:build gpu

package cuda

import "dgsbench/kernels"

// Sigmoid is dst = 1/(1 + e^-x).
func (d *Device) Sigmoid(n int, dst, x kernels.Buffer) { d.each("sigmoids", n, at(dst, n), at(x, n)) }

// SigmoidGrad is its gradient.
func (d *Device) SigmoidGrad(n int, dx, g, y kernels.Buffer) {
	d.each("sigmoid_grad", n, at(dx, n), at(g, n), at(y, n))
}

// Mix is dst = beta self + (1 - beta) ((1 - alpha) e + alpha other).
func (d *Device) Mix(m *kernels.Mixture, dst kernels.Buffer) {
	var room [mostParameters]uint64
	d.eachNumber("mix", m.Rows, m.Cols, append(mixture(room[:0], m), at(dst, m.Rows*m.Cols))...)
}

// MixGrad is its gradient.
func (d *Device) MixGrad(m *kernels.Mixture, g kernels.Buffer, grad *kernels.MixtureGrad) {
	n, e := m.Rows*m.Cols, uint64(0)
	if m.E != nil {
		e = at(grad.E, n)
	}
	var room [mostParameters]uint64
	d.eachNumber("mix_grad", m.Rows, m.Cols, append(mixture(room[:0], m), at(g, n), at(grad.Self, n), at(grad.Other, n), e, at(grad.Alpha, n), at(grad.Beta, n))...)
}

// mixture adds the parameters that are read. With lists the operands may have
// any number of rows.
func mixture(parameters []uint64, m *kernels.Mixture) []uint64 {
	n, factors := m.Rows*m.Cols, m.Cols
	if m.PerRow {
		factors = n
	}
	var self, other, e uint64
	if m.From != nil {
		self, other, e = list(m.From.Self, m.Rows), list(m.From.Other, m.Rows), list(m.From.E, m.Rows)
		n, factors = 0, 0
	}
	return append(parameters,
		at(m.Self, n), at(m.Other, n), maybe(m.E, n), at(m.Alpha, factors), at(m.Beta, factors), flag(m.PerRow), self, other, e)
}

// SparsemaxBlocks is the sparsemax of scale x in each block of h numbers.
func (d *Device) SparsemaxBlocks(n, h int, scale float64, dst, x kernels.Buffer) {
	d.eachWarp("sparsemax_blocks", n/h, whole(h), single(scale), at(dst, n), at(x, n))
}

// SparsemaxBlocksGrad is its gradient.
func (d *Device) SparsemaxBlocksGrad(n, h int, scale float64, dx, g, y kernels.Buffer) {
	d.eachWarp("sparsemax_blocks_grad", n/h, whole(h), single(scale), at(dx, n), at(g, n), at(y, n))
}

// EntmaxBlocks is 1.5-entmax of scale x in each block of h numbers.
func (d *Device) EntmaxBlocks(n, h int, scale float64, dst, x kernels.Buffer) {
	d.eachWarp("entmax_blocks", n/h, whole(h), single(scale), at(dst, n), at(x, n))
}

// EntmaxBlocksGrad is its gradient.
func (d *Device) EntmaxBlocksGrad(n, h int, scale float64, dx, g, y kernels.Buffer) {
	d.eachWarp("entmax_blocks_grad", n/h, whole(h), single(scale), at(dx, n), at(g, n), at(y, n))
}
