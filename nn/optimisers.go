package nn

import (
	"math"

	"dgsbench/kernels"
)

// Group is buffers that optimisers and checks take together, such as all
// parameters of a network.
type Group struct {
	Buffers []kernels.Buffer
	group   kernels.Group
}

// NewGroup lists buffers of a device, all of whose numbers count.
func NewGroup(d kernels.Device, buffers ...kernels.Buffer) *Group {
	return &Group{buffers, d.NewGroup(buffers...)}
}

// zeros are buffers of the same sizes.
func (g *Group) zeros(d kernels.Device) kernels.Group {
	var out []kernels.Buffer
	for _, b := range g.Buffers {
		out = append(out, d.NewBuffer(b.Len()))
	}
	return d.NewGroup(out...)
}

// Check makes the device check the buffers for numbers that are not finite, and
// returns the place of the first one among all that it has checked.
func (g *Group) Check(d kernels.Device) int { return d.CheckGroup(g.group) }

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

// Step updates params in place from their gradients, unless the device has
// checked a buffer that is not finite. Both have the same order and sizes in
// every call. If both are checked before (Training does so), parameters and
// moments stay finite.
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

// Rollback uncounts a step that was not made.
func (a *Adam) Rollback() { a.step-- }

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

// Step updates params in place from their gradients, unless the device has
// checked a buffer that is not finite. Both have the same order and sizes in
// every call.
func (s *SGD) Step(params, gradients *Group) {
	if s.velocity == nil {
		s.velocity = params.zeros(s.device)
	}
	s.device.Momentum(params.group, gradients.group, s.velocity, s.LR, s.Momentum, s.WeightDecay)
}

// Rollback does nothing: steps are not counted.
func (s *SGD) Rollback() {}

// RMSProp is PyTorch's RMSprop with its defaults (a smoothing constant of .99, eps
// 1e-8): L2 weight decay added to the gradient, neither centred nor with momentum.
type RMSProp struct {
	LR, WeightDecay float64

	device        kernels.Device
	first, second kernels.Group
}

// NewRMSProp makes an optimiser.
func NewRMSProp(d kernels.Device, lr, weightDecay float64) *RMSProp {
	return &RMSProp{LR: lr, WeightDecay: weightDecay, device: d}
}

// Step updates params in place from their gradients, unless the device has
// checked a buffer that is not finite. Both have the same order and sizes in
// every call. It is a step of Adam without a mean and without corrections.
func (r *RMSProp) Step(params, gradients *Group) {
	if r.first == nil {
		r.first, r.second = params.zeros(r.device), params.zeros(r.device)
	}
	r.device.Adam(params.group, gradients.group, r.first, r.second, kernels.AdamStep{
		Size: r.LR, Root: 1, Beta1: 0, Rest1: 1, Beta2: .99, Rest2: 1 - .99, Eps: 1e-8, WeightDecay: r.WeightDecay,
	})
}

// Rollback does nothing: steps are not counted.
func (r *RMSProp) Rollback() {}
