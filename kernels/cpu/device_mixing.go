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
	eachMixture(m, func(in Mixture, lo, hi int) {
		d.kernels.mix(dst.(buffer)[lo:hi], &in)
	})
}

// MixGrad is its gradient.
func (d *Device) MixGrad(m *kernels.Mixture, g kernels.Buffer, grad *kernels.MixtureGrad) {
	eachMixture(m, func(in Mixture, lo, hi int) {
		out := MixtureGrad{
			Self: grad.Self.(buffer)[lo:hi], Other: grad.Other.(buffer)[lo:hi],
			Alpha: grad.Alpha.(buffer)[lo:hi], Beta: grad.Beta.(buffer)[lo:hi],
		}
		if m.E != nil {
			out.E = grad.E.(buffer)[lo:hi]
		}
		d.kernels.MixGrad(&out, &in, g.(buffer)[lo:hi])
	})
}

// eachMixture calls f with the mixture as a whole or, where its rows lie
// apart, with each row, and with the elements of the result that it is for.
func eachMixture(m *kernels.Mixture, f func(in Mixture, lo, hi int)) {
	if m.From == nil {
		f(mixture(m), 0, m.Rows*m.Cols)
		return
	}
	self, other, e := m.From.Self.(ints), m.From.Other.(ints), m.From.E.(ints)
	row := func(b kernels.Buffer, i int32) []float32 { return b.(buffer)[int(i)*m.Cols:][:m.Cols] }
	for i := range m.Rows {
		in := Mixture{Cols: m.Cols, Self: row(m.Self, self[i]), Other: row(m.Other, other[i])}
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
