package nn

import (
	"math"

	"dgsbench/kernels"
)

// Adam is PyTorch's Adam: L2 weight decay added to the gradient, bias
// corrections taken in float64, one step count for all parameters.
type Adam struct {
	LR, WeightDecay   float64
	Beta1, Beta2, Eps float64

	device        kernels.Device
	step          int
	first, second []kernels.Buffer
}

// NewAdam makes an optimiser with PyTorch's defaults (betas .9 and .999,
// eps 1e-8).
func NewAdam(d kernels.Device, lr, weightDecay float64) *Adam {
	return &Adam{LR: lr, WeightDecay: weightDecay, Beta1: .9, Beta2: .999, Eps: 1e-8, device: d}
}

// Step updates params in place from grads. Both lists keep their order and
// sizes from call to call; a gradient may lie in a larger buffer.
func (a *Adam) Step(params, grads []kernels.Buffer) {
	if a.first == nil {
		for _, p := range params {
			a.first = append(a.first, a.device.NewBuffer(p.Len()))
			a.second = append(a.second, a.device.NewBuffer(p.Len()))
		}
	}
	a.step++
	t := float64(a.step)
	s := kernels.AdamStep{
		Size:  float32(a.LR / (1 - math.Pow(a.Beta1, t))),
		Root:  float32(1 / math.Sqrt(1-math.Pow(a.Beta2, t))),
		Beta1: float32(a.Beta1), Rest1: float32(1 - a.Beta1),
		Beta2: float32(a.Beta2), Rest2: float32(1 - a.Beta2),
		Eps: float32(a.Eps), WeightDecay: float32(a.WeightDecay),
	}
	for i, p := range params {
		a.device.Adam(p.Len(), p, grads[i], a.first[i], a.second[i], s)
	}
}
