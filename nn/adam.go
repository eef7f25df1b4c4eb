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
	first, second kernels.Group
}

// NewAdam makes an optimiser with PyTorch's defaults (betas .9 and .999,
// eps 1e-8).
func NewAdam(d kernels.Device, lr, weightDecay float64) *Adam {
	return &Adam{LR: lr, WeightDecay: weightDecay, Beta1: .9, Beta2: .999, Eps: 1e-8, device: d}
}

// Step updates params in place from their gradients, unless a buffer that the
// device has seen is bad. Both keep their order and sizes from call to call.
// Where both were seen together (Training does so), parameters and moments stay
// finite.
func (a *Adam) Step(params, gradients *Group) {
	if a.first == nil {
		a.first, a.second = params.zeros(a.device), params.zeros(a.device)
	}
	a.step++
	t := float64(a.step)
	a.device.Adam(params.group, gradients.group, a.first, a.second, kernels.AdamStep{
		Size:  a.LR / (1 - math.Pow(a.Beta1, t)),
		Root:  1 / math.Sqrt(1-math.Pow(a.Beta2, t)),
		Beta1: a.Beta1, Rest1: 1 - a.Beta1,
		Beta2: a.Beta2, Rest2: 1 - a.Beta2,
		Eps: a.Eps, WeightDecay: a.WeightDecay,
	})
}

// TakeBack uncounts a step that was not made.
func (a *Adam) TakeBack() { a.step-- }
