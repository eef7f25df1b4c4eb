package portable

import "dgsbench/kernels"

// mixture is a part of a [kernels.Mixture] on slices: elements lo to hi-1 of the
// result.
type mixture[T Float] struct {
	lo, hi         int
	self, other, e []T // e is nil for zeros
	alpha, beta    []T // as long, or for all rows, which are as long
}

// eachPart calls f with the whole mixture or, if its rows are listed, with each
// row.
func (d *Device[T]) eachPart(m *kernels.Mixture, f func(in mixture[T])) {
	n, factors := m.Rows*m.Cols, m.Cols
	if m.From == nil {
		if m.PerRow {
			factors = n
		}
		in := mixture[T]{0, n, d.in(m.Self, n), d.in(m.Other, n), nil, d.in(m.Alpha, factors), d.in(m.Beta, factors)}
		if m.E != nil {
			in.e = d.in(m.E, n)
		}
		f(in)
		return
	}
	from, self, other, e, alpha, beta := m.From, d.Elements(m.Self), d.Elements(m.Other), d.Elements(m.E), d.Elements(m.Alpha), d.Elements(m.Beta)
	ofSelf, ofOther, ofE := from.Self.(Ints), from.Other.(Ints), from.E.(Ints)
	row := func(x []T, i int32) []T { return x[int(i)*m.Cols:][:m.Cols] }
	in := mixture[T]{alpha: alpha[:m.Cols], beta: beta[:m.Cols]}
	for i := range m.Rows {
		in.lo, in.hi = i*m.Cols, (i+1)*m.Cols
		in.self, in.other = row(self, ofSelf[i]), row(other, ofOther[i])
		if e != nil {
			in.e = row(e, ofE[i])
		}
		if m.PerRow {
			in.alpha, in.beta = row(alpha, ofE[i]), row(beta, ofE[i])
		}
		f(in)
	}
}

func (d *Device[T]) Mix(m *kernels.Mixture, dst kernels.Buffer) {
	all := d.Elements(dst)
	d.eachPart(m, func(in mixture[T]) {
		to, n := all[in.lo:in.hi], len(in.alpha)
		for lo := 0; lo < len(to); lo += n {
			hi := lo + n
			if in.e == nil {
				d.k.MixRowWithoutE(to[lo:hi], in.self[lo:hi], in.other[lo:hi], in.alpha, in.beta)
			} else {
				d.k.MixRow(to[lo:hi], in.self[lo:hi], in.other[lo:hi], in.e[lo:hi], in.alpha, in.beta)
			}
		}
	})
}

func mixRow[T Float](dst, self, other, e, alpha, beta []T) {
	for i, b := range beta {
		dst[i] = fma(b, self[i], T((1-b)*inner(alpha[i], other[i], e[i])))
	}
}

func mixRowWithoutE[T Float](dst, self, other, alpha, beta []T) {
	for i, b := range beta {
		dst[i] = fma(b, self[i], T((1-b)*inner(alpha[i], other[i], 0)))
	}
}

// inner is alpha other + (1 - alpha) e.
func inner[T Float](alpha, other, e T) T { return fma(alpha, other, T((1-alpha)*e)) }

// MixGrad is, element by element, with inner = alpha other + (1 - alpha) e,
//
//	dself = beta g                      dbeta = g (self - inner)
//	dother = alpha (1 - beta) g         dalpha = (1 - beta) g (other - e)
//	de = (1 - alpha) (1 - beta) g
func (d *Device[T]) MixGrad(m *kernels.Mixture, g kernels.Buffer, to *kernels.MixtureGrad) {
	d.eachPart(m, func(in mixture[T]) {
		part := func(b kernels.Buffer) []T { return d.Elements(b)[in.lo:in.hi] }
		g, dself, dother, de, dalpha, dbeta := part(g), part(to.Self), part(to.Other), []T(nil), part(to.Alpha), part(to.Beta)
		if in.e != nil {
			de = part(to.E)
		}
		for lo, n := 0, len(in.alpha); lo < len(g); lo += n {
			hi := lo + n
			g, dself, dother, dalpha, dbeta := g[lo:hi], dself[lo:hi], dother[lo:hi], dalpha[lo:hi], dbeta[lo:hi]
			if in.e == nil {
				d.k.MixRowGradWithoutE(dself, dother, dalpha, dbeta, g, in.self[lo:hi], in.other[lo:hi], in.alpha, in.beta)
			} else {
				d.k.MixRowGrad(dself, dother, de[lo:hi], dalpha, dbeta, g, in.self[lo:hi], in.other[lo:hi], in.e[lo:hi], in.alpha, in.beta)
			}
		}
	})
}

func mixRowGrad[T Float](dself, dother, de, dalpha, dbeta, g, self, other, e, alpha, beta []T) {
	for i, v := range g {
		into := T(v * (1 - beta[i]))
		dself[i], dbeta[i] = v*beta[i], v*(self[i]-inner(alpha[i], other[i], e[i]))
		dother[i], dalpha[i] = into*alpha[i], into*(other[i]-e[i])
		de[i] = into * (1 - alpha[i])
	}
}

func mixRowGradWithoutE[T Float](dself, dother, dalpha, dbeta, g, self, other, alpha, beta []T) {
	for i, v := range g {
		into := T(v * (1 - beta[i]))
		dself[i], dbeta[i] = v*beta[i], v*(self[i]-inner(alpha[i], other[i], 0))
		dother[i], dalpha[i] = into*alpha[i], into*other[i]
	}
}
