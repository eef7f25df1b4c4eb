package nn

import "dgsbench/kernels"

// SGD is PyTorch's stochastic gradient descent: L2 weight decay added to the
// gradient, and momentum without dampening.
type SGD struct {
	LR, Momentum, WeightDecay float64

	device   kernels.Device
	velocity kernels.Group
}

// NewSGD makes an optimiser; momentum 0 is plain descent.
func NewSGD(d kernels.Device, lr, momentum, weightDecay float64) *SGD {
	return &SGD{LR: lr, Momentum: momentum, WeightDecay: weightDecay, device: d}
}

// Step updates params in place from their gradients, unless a buffer that the
// device has seen is bad. Both keep their order and sizes from call to call.
func (s *SGD) Step(params, gradients *Group) {
	if s.velocity == nil {
		s.velocity = params.zeros(s.device)
	}
	s.device.Momentum(params.group, gradients.group, s.velocity, s.LR, s.Momentum, s.WeightDecay)
}

// TakeBack uncounts a step that was not made: steps are not counted.
func (s *SGD) TakeBack() {}
