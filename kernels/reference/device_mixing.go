package reference

import (
	"dgsbench/kernels"
	"dgsbench/kernels/portable"
)

// Sigmoid is dst = 1/(1 + e^-x).
func (Device) Sigmoid(n int, dst, x kernels.Buffer) { portable.Sigmoid(take(dst, n), take(x, n)) }

// SigmoidGrad is its gradient.
func (Device) SigmoidGrad(n int, dx, g, y kernels.Buffer) {
	portable.SigmoidGrad(take(dx, n), take(g, n), take(y, n))
}

// Mix is dst = beta self + (1 - beta) ((1 - alpha) e + alpha other).
func (Device) Mix(m *kernels.Mixture, dst kernels.Buffer) {
	exact := mixture(m)
	portable.Mix(take(dst, m.Rows*m.Cols), &exact)
}

// MixGrad is its gradient.
func (Device) MixGrad(m *kernels.Mixture, g kernels.Buffer, d *kernels.MixtureGrad) {
	n, exact := m.Rows*m.Cols, mixture(m)
	grad := portable.MixtureGrad[float64]{
		Self: take(d.Self, n), Other: take(d.Other, n), Alpha: take(d.Alpha, n), Beta: take(d.Beta, n),
	}
	if m.E != nil {
		grad.E = take(d.E, n)
	}
	portable.MixGrad(&grad, &exact, take(g, n))
}

func mixture(m *kernels.Mixture) portable.Mixture[float64] {
	n, factors := m.Rows*m.Cols, m.Cols
	if m.PerRow {
		factors = n
	}
	exact := portable.Mixture[float64]{
		Cols: m.Cols, Self: take(m.Self, n), Other: take(m.Other, n),
		Alpha: take(m.Alpha, factors), Beta: take(m.Beta, factors), PerRow: m.PerRow,
	}
	if m.E != nil {
		exact.E = take(m.E, n)
	}
	return exact
}

// SparsemaxBlocks is the sparsemax of scale x in each block of h numbers.
func (Device) SparsemaxBlocks(n, h int, scale float64, dst, x kernels.Buffer) {
	portable.SparsemaxBlocks(take(dst, n), take(x, n), h, scale)
}

// SparsemaxBlocksGrad is its gradient.
func (Device) SparsemaxBlocksGrad(n, h int, scale float64, dx, g, y kernels.Buffer) {
	portable.SparsemaxBlocksGrad(take(dx, n), take(g, n), take(y, n), h, scale)
}

// EntmaxBlocks is 1.5-entmax of scale x in each block of h numbers.
func (Device) EntmaxBlocks(n, h int, scale float64, dst, x kernels.Buffer) {
	portable.EntmaxBlocks(take(dst, n), take(x, n), h, scale)
}

// EntmaxBlocksGrad is its gradient.
func (Device) EntmaxBlocksGrad(n, h int, scale float64, dx, g, y kernels.Buffer) {
	portable.EntmaxBlocksGrad(take(dx, n), take(g, n), take(y, n), h, scale)
}
