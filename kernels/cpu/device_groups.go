package cpu

import "dgsbench/kernels"

// group is a list of buffers of this device.
type group []buffer

// Buffers is how many there are.
func (g group) Buffers() int { return len(g) }

// NewGroup lists buffers.
func (d *Device) NewGroup(buffers ...kernels.Buffer) kernels.Group {
	g := make(group, len(buffers))
	for i, b := range buffers {
		g[i] = b.(buffer)
	}
	return g
}

// Adam makes one step.
func (d *Device) Adam(p, g, m, v kernels.Group, s kernels.AdamStep) {
	if d.seen.Bad() {
		return
	}
	params, gradients, means, squares := p.(group), g.(group), m.(group), v.(group)
	kernels.CheckGroups(params, gradients, means, squares)
	step := AdamStep{
		Size: float32(s.Size), Root: float32(s.Root), Beta1: float32(s.Beta1), Rest1: float32(s.Rest1),
		Beta2: float32(s.Beta2), Rest2: float32(s.Rest2), Eps: float32(s.Eps), WeightDecay: float32(s.WeightDecay),
	}
	for i, b := range params {
		d.kernels.Adam(b, gradients[i], means[i], squares[i], step)
	}
}

// Momentum makes one step of stochastic gradient descent.
func (d *Device) Momentum(p, g, v kernels.Group, rate, momentum, decay float64) {
	if d.seen.Bad() {
		return
	}
	params, gradients, velocities := p.(group), g.(group), v.(group)
	kernels.CheckGroups(params, gradients, velocities)
	for i, b := range params {
		d.kernels.Momentum(b, gradients[i], velocities[i], float32(decay), float32(momentum), float32(rate))
	}
}

// ResetChecks forgets all checked buffers.
func (d *Device) ResetChecks() { d.seen.First() }

// CheckFinite checks the first n numbers of b.
func (d *Device) CheckFinite(n int, b kernels.Buffer) int { return d.seen.Look(d.IsFinite(n, b)) }

// CheckGroup checks all buffers of a group.
func (d *Device) CheckGroup(g kernels.Group) int {
	first := d.seen.Count()
	for _, b := range g.(group) {
		d.seen.Look(d.small(b))
	}
	return first
}

// small reports whether all numbers are within +-Largest.
func (d *Device) small(numbers []float32) bool {
	const largest = kernels.MaxMagnitude
	if squares := d.kernels.Dot(numbers, numbers); squares <= largest*largest {
		return true // the usual case, in one quick pass
	}
	for _, x := range numbers {
		if !(max(x, -x) <= largest) {
			return false
		}
	}
	return true
}

// FirstBad is the place of the first bad buffer.
func (d *Device) FirstBad(dst []float32, src kernels.Buffer) int {
	if len(dst) > 0 {
		d.Read(dst, src)
	}
	return d.seen.First()
}

// IsFinite reports whether all numbers are finite.
func (d *Device) IsFinite(n int, b kernels.Buffer) bool { return d.finite(take(b, n)) }

func (d *Device) finite(numbers []float32) bool {
	if sum := d.kernels.Sum(numbers); sum-sum == 0 {
		return true // the usual case, in one quick pass
	}
	for _, x := range numbers {
		if x-x != 0 { // NaN or infinite
			return false
		}
	}
	return true
}
