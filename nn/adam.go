package nn

import "math"

// Adam is PyTorch's Adam: L2 weight decay added to the gradient, bias
// corrections taken in float64, one step count for all parameters.
type Adam struct {
	LR, WeightDecay     float64
	Beta1, Beta2, Eps   float64
	step                int
	moment, squaredMean [][]float32
}

// NewAdam makes an optimiser with PyTorch's defaults (betas .9 and .999,
// eps 1e-8).
func NewAdam(lr, weightDecay float64) *Adam {
	return &Adam{LR: lr, WeightDecay: weightDecay, Beta1: .9, Beta2: .999, Eps: 1e-8}
}

// Step updates params in place from grads. Both lists keep their order and
// sizes from call to call.
func (a *Adam) Step(params, grads [][]float32) {
	if a.moment == nil {
		for _, p := range params {
			a.moment = append(a.moment, make([]float32, len(p)))
			a.squaredMean = append(a.squaredMean, make([]float32, len(p)))
		}
	}
	a.step++
	t := float64(a.step)
	size := float32(a.LR / (1 - math.Pow(a.Beta1, t)))
	root := float32(1 / math.Sqrt(1-math.Pow(a.Beta2, t)))
	for i, p := range params {
		a.update(p, grads[i], a.moment[i], a.squaredMean[i], size, root)
	}
}

// update applies one step of the given size to one tensor.
func (a *Adam) update(p, g, m, v []float32, size, root float32) {
	b1, b2 := float32(a.Beta1), float32(a.Beta2)
	c1, c2 := float32(1-a.Beta1), float32(1-a.Beta2)
	decay, eps := float32(a.WeightDecay), float32(a.Eps)
	for i := range p {
		gi := g[i] + decay*p[i]
		m[i] = b1*m[i] + c1*gi
		v[i] = b2*v[i] + c2*gi*gi
		p[i] -= size * m[i] / (float32(math.Sqrt(float64(v[i])))*root + eps)
	}
}
