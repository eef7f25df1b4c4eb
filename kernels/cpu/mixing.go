package cpu

import "dgsbench/kernels/portable"

// Mixture is what Mix reads; see [portable.Mixture].
type Mixture = portable.Mixture[float32]

// MixtureGrad are its gradients; see [portable.MixtureGrad].
type MixtureGrad = portable.MixtureGrad[float32]

// SigmoidGrad is dx = g*y*(1 - y), y being the result of Sigmoid. dx may be
// g or y.
func (k Kernels) SigmoidGrad(dx, g, y []float32) {
	same("SigmoidGrad", len(dx), len(g), len(y))
	switch k.level {
	case AVX512:
		sigmoidGradAVX512(dx, g, y)
	case AVX2:
		sigmoidGradAVX2(dx, g, y)
	default:
		portable.SigmoidGrad(dx, g, y)
	}
}

// Mix is dst = beta*self + (1 - beta)*((1 - alpha)*e + alpha*other). dst may
// be any of the slices of m that is as long.
func (k Kernels) Mix(dst []float32, m *Mixture) {
	checkMixture("Mix", m, len(dst))
	k.mix(dst, m)
}

// mix is Mix of slices that are known to fit.
func (k Kernels) mix(dst []float32, m *Mixture) {
	if k.level == Portable {
		portable.Mix(dst, m)
		return
	}
	step := len(m.Alpha) // those that alpha is given for: a row, or all
	for at := 0; at < len(dst); at += step {
		k.mixPart(dst[at:at+step], m, at)
	}
}

// mixPart mixes the elements from at on, all of one row if alpha and beta
// hold for all rows.
func (k Kernels) mixPart(dst []float32, m *Mixture, at int) {
	end := at + len(dst)
	self, other := m.Self[at:end], m.Other[at:end]
	switch {
	case m.E != nil && k.level == AVX512:
		mixAVX512(dst, self, other, m.E[at:end], m.Alpha, m.Beta)
	case m.E != nil:
		mixAVX2(dst, self, other, m.E[at:end], m.Alpha, m.Beta)
	case k.level == AVX512:
		mixWithoutEAVX512(dst, self, other, m.Alpha, m.Beta)
	default:
		mixWithoutEAVX2(dst, self, other, m.Alpha, m.Beta)
	}
}

// MixGrad sets the gradients; see [portable.MixGrad].
func (k Kernels) MixGrad(d *MixtureGrad, m *Mixture, g []float32) {
	checkMixture("MixGrad", m, len(g))
	same("MixGrad", len(g), len(d.Self), len(d.Other), len(d.Alpha), len(d.Beta))
	if m.E != nil {
		same("MixGrad", len(g), len(d.E))
	}
	if k.level == Portable {
		portable.MixGrad(d, m, g)
		return
	}
	step := len(m.Alpha) // those that alpha is given for: a row, or all
	for at := 0; at < len(g); at += step {
		k.mixGradPart(d, m, g[at:at+step], at)
	}
}

func (k Kernels) mixGradPart(d *MixtureGrad, m *Mixture, g []float32, at int) {
	end := at + len(g)
	self, other := m.Self[at:end], m.Other[at:end]
	dself, dother, dalpha, dbeta := d.Self[at:end], d.Other[at:end], d.Alpha[at:end], d.Beta[at:end]
	switch {
	case m.E != nil && k.level == AVX512:
		mixGradAVX512(dself, dother, d.E[at:end], dalpha, dbeta, g, self, other, m.E[at:end], m.Alpha, m.Beta)
	case m.E != nil:
		mixGradAVX2(dself, dother, d.E[at:end], dalpha, dbeta, g, self, other, m.E[at:end], m.Alpha, m.Beta)
	case k.level == AVX512:
		mixGradWithoutEAVX512(dself, dother, dalpha, dbeta, g, self, other, m.Alpha, m.Beta)
	default:
		mixGradWithoutEAVX2(dself, dother, dalpha, dbeta, g, self, other, m.Alpha, m.Beta)
	}
}

// checkMixture panics unless the mixture is one of n elements.
func checkMixture(kernel string, m *Mixture, n int) {
	same(kernel, n, len(m.Self), len(m.Other))
	if m.E != nil {
		same(kernel, n, len(m.E))
	}
	if m.PerRow {
		same(kernel, n, len(m.Alpha), len(m.Beta))
	} else {
		same(kernel, m.Cols, len(m.Alpha), len(m.Beta))
		if n > 0 {
			checkBlocks(kernel, n, m.Cols)
		}
	}
}
