package cpu

import "dgsbench/kernels"

// Sigmoid is dst = 1/(1 + e^-x).
func (d *Device) Sigmoid(n int, dst, x kernels.Buffer) { d.kernels.Sigmoid(take(dst, n), take(x, n)) }

// SigmoidGrad is its gradient.
func (d *Device) SigmoidGrad(n int, dx, g, y kernels.Buffer) {
	d.kernels.SigmoidGrad(take(dx, n), take(g, n), take(y, n))
}

// Mix is dst = beta self + (1 - beta) ((1 - alpha) e + alpha other).
func (d *Device) Mix(m *kernels.Mixture, dst kernels.Buffer) {
	in := mixture(m)
	d.kernels.Mix(take(dst, m.Rows*m.Cols), &in)
}

// MixGrad is its gradient.
func (d *Device) MixGrad(m *kernels.Mixture, g kernels.Buffer, grad *kernels.MixtureGrad) {
	n, in := m.Rows*m.Cols, mixture(m)
	out := MixtureGrad{
		Self: take(grad.Self, n), Other: take(grad.Other, n), Alpha: take(grad.Alpha, n), Beta: take(grad.Beta, n),
	}
	if m.E != nil {
		out.E = take(grad.E, n)
	}
	d.kernels.MixGrad(&out, &in, take(g, n))
}

func mixture(m *kernels.Mixture) Mixture {
	n, factors := m.Rows*m.Cols, m.Cols
	if m.PerRow {
		factors = n
	}
	in := Mixture{
		Cols: m.Cols, Self: take(m.Self, n), Other: take(m.Other, n),
		Alpha: take(m.Alpha, factors), Beta: take(m.Beta, factors), PerRow: m.PerRow,
	}
	if m.E != nil {
		in.E = take(m.E, n)
	}
	return in
}

// SparsemaxBlocks is the sparsemax of scale x in each block of h numbers.
func (d *Device) SparsemaxBlocks(n, h int, scale float64, dst, x kernels.Buffer) {
	d.kernels.SparsemaxBlocks(take(dst, n), take(x, n), h, float32(scale))
}

// SparsemaxBlocksGrad is its gradient.
func (d *Device) SparsemaxBlocksGrad(n, h int, scale float64, dx, g, y kernels.Buffer) {
	d.kernels.SparsemaxBlocksGrad(take(dx, n), take(g, n), take(y, n), h, float32(scale))
}

// EntmaxBlocks is 1.5-entmax of scale x in each block of h numbers.
func (d *Device) EntmaxBlocks(n, h int, scale float64, dst, x kernels.Buffer) {
	d.kernels.EntmaxBlocks(take(dst, n), take(x, n), h, float32(scale))
}

// EntmaxBlocksGrad is its gradient.
func (d *Device) EntmaxBlocksGrad(n, h int, scale float64, dx, g, y kernels.Buffer) {
	d.kernels.EntmaxBlocksGrad(take(dx, n), take(g, n), take(y, n), h, float32(scale))
}
