package nn

import "dgsbench/kernels"

// SGD is PyTorch's stochastic gradient descent: L2 weight decay added to the
// gradient, and momentum without dampening.
type SGD struct {
	LR, Momentum, WeightDecay float64

	device   kernels.Device
	velocity []kernels.Buffer
}

// NewSGD makes an optimiser; momentum 0 is plain descent.
func NewSGD(d kernels.Device, lr, momentum, weightDecay float64) *SGD {
	return &SGD{LR: lr, Momentum: momentum, WeightDecay: weightDecay, device: d}
}

// Step updates params in place from grads. Both lists keep their order and
// sizes from call to call; a gradient may lie in a larger buffer.
func (s *SGD) Step(params, grads []kernels.Buffer) {
	if s.velocity == nil {
		for _, p := range params {
			s.velocity = append(s.velocity, s.device.NewBuffer(p.Len()))
		}
	}
	for i, p := range params {
		s.device.Momentum(p.Len(), p, grads[i], s.velocity[i], s.LR, s.Momentum, s.WeightDecay)
	}
}
