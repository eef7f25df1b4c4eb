package portable

// Mixture is what [Mix] reads: rows of Cols numbers.
type Mixture[T Float] struct {
	Cols        int
	Self, Other []T
	E           []T // nil stands for zeros
	Alpha, Beta []T // Cols numbers for all rows, or rows of their own with PerRow
	PerRow      bool
}

// MixtureGrad are the gradients of a [Mixture], of the size of Self each.
// That of E is left alone where the mixture has none.
type MixtureGrad[T Float] struct {
	Self, Other, E, Alpha, Beta []T
}

// Mix is dst = beta self + (1 - beta) ((1 - alpha) e + alpha other).
func Mix[T Float](dst []T, m *Mixture[T]) {
	for i, self := range m.Self {
		alpha, beta := m.factors(i)
		dst[i] = fma(beta, self, T((1-beta)*m.inner(i, alpha)))
	}
}

// factors are alpha and beta of element i.
func (m *Mixture[T]) factors(i int) (alpha, beta T) {
	if !m.PerRow {
		i %= m.Cols
	}
	return m.Alpha[i], m.Beta[i]
}

func (m *Mixture[T]) e(i int) T {
	if m.E == nil {
		return 0
	}
	return m.E[i]
}

// inner is what of the other state and of e comes in.
func (m *Mixture[T]) inner(i int, alpha T) T {
	return fma(alpha, m.Other[i], T((1-alpha)*m.e(i)))
}

// MixGrad sets d from the gradient g of the result, each element by itself:
//
//	dself = beta g                      dbeta = g (self - inner)
//	dother = alpha (1 - beta) g         dalpha = (1 - beta) g (other - e)
//	de = (1 - alpha) (1 - beta) g
func MixGrad[T Float](d *MixtureGrad[T], m *Mixture[T], g []T) {
	for i, v := range g {
		alpha, beta := m.factors(i)
		into := T(v * (1 - beta))
		d.Self[i], d.Beta[i] = v*beta, v*(m.Self[i]-m.inner(i, alpha))
		d.Other[i], d.Alpha[i] = into*alpha, into*(m.Other[i]-m.e(i))
		if m.E != nil {
			d.E[i] = into * (1 - alpha)
		}
	}
}

// SigmoidGrad is dx = g y (1 - y), y being the result of [Sigmoid].
func SigmoidGrad[T Float](dx, g, y []T) {
	for i, v := range y {
		dx[i] = g[i] * T(v*(1-v))
	}
}
