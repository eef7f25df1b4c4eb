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
	eachMixture(m, func(in portable.Mixture[float64], lo, hi int) {
		portable.Mix(dst.(buffer)[lo:hi], &in)
	})
}

// MixGrad is its gradient.
func (Device) MixGrad(m *kernels.Mixture, g kernels.Buffer, grad *kernels.MixtureGrad) {
	eachMixture(m, func(in portable.Mixture[float64], lo, hi int) {
		out := portable.MixtureGrad[float64]{
			Self: grad.Self.(buffer)[lo:hi], Other: grad.Other.(buffer)[lo:hi],
			Alpha: grad.Alpha.(buffer)[lo:hi], Beta: grad.Beta.(buffer)[lo:hi],
		}
		if m.E != nil {
			out.E = grad.E.(buffer)[lo:hi]
		}
		portable.MixGrad(&out, &in, g.(buffer)[lo:hi])
	})
}

// eachMixture calls f with the mixture as a whole or, where its rows lie
// apart, with each row, and with the elements of the result that it is for.
func eachMixture(m *kernels.Mixture, f func(in portable.Mixture[float64], lo, hi int)) {
	if m.From == nil {
		f(mixture(m), 0, m.Rows*m.Cols)
		return
	}
	self, other, e := m.From.Self.(ints), m.From.Other.(ints), m.From.E.(ints)
	row := func(b kernels.Buffer, i int32) []float64 { return b.(buffer)[int(i)*m.Cols:][:m.Cols] }
	for i := range m.Rows {
		in := portable.Mixture[float64]{Cols: m.Cols, Self: row(m.Self, self[i]), Other: row(m.Other, other[i])}
		if m.E != nil {
			in.E = row(m.E, e[i])
		}
		if m.PerRow {
			in.Alpha, in.Beta = row(m.Alpha, e[i]), row(m.Beta, e[i])
		} else {
			in.Alpha, in.Beta = take(m.Alpha, m.Cols), take(m.Beta, m.Cols)
		}
		f(in, i*m.Cols, (i+1)*m.Cols)
	}
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
