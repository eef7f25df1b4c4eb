package reference

import (
	"math"
	"slices"

	"dgsbench/kernels"
	"dgsbench/kernels/portable"
)

// group is a list of buffers of this device.
type group []buffer

// Buffers is how many there are.
func (g group) Buffers() int { return len(g) }

// NewGroup lists buffers.
func (Device) NewGroup(buffers ...kernels.Buffer) kernels.Group {
	g := make(group, len(buffers))
	for i, b := range buffers {
		g[i] = b.(buffer)
	}
	return g
}

// Adam makes one step.
func (d Device) Adam(p, g, m, v kernels.Group, s kernels.AdamStep) {
	if d.seen.Bad() {
		return
	}
	params, gradients, means, squares := p.(group), g.(group), m.(group), v.(group)
	kernels.CheckGroups(params, gradients, means, squares)
	for i, b := range params {
		portable.Adam(b, gradients[i], means[i], squares[i], portable.AdamStep[float64](s))
	}
}

// Momentum makes one step of stochastic gradient descent.
func (d Device) Momentum(p, g, v kernels.Group, rate, momentum, decay float64) {
	if d.seen.Bad() {
		return
	}
	params, gradients, velocities := p.(group), g.(group), v.(group)
	kernels.CheckGroups(params, gradients, velocities)
	for i, b := range params {
		portable.Momentum(b, gradients[i], velocities[i], decay, momentum, rate)
	}
}

// ResetChecks forgets all checked buffers.
func (d Device) ResetChecks() { d.seen.First() }

// CheckFinite checks the first n numbers of b.
func (d Device) CheckFinite(n int, b kernels.Buffer) int { return d.seen.Look(d.IsFinite(n, b)) }

// CheckGroup checks all buffers of a group.
func (d Device) CheckGroup(g kernels.Group) int {
	first := d.seen.Count()
	for _, b := range g.(group) {
		d.seen.Look(!slices.ContainsFunc(b, func(x float64) bool { return !(math.Abs(x) <= kernels.MaxMagnitude) }))
	}
	return first
}

// FirstBad is the place of the first bad buffer.
func (d Device) FirstBad(dst []float32, src kernels.Buffer) int {
	if len(dst) > 0 {
		d.Read(dst, src)
	}
	return d.seen.First()
}

// IsFinite reports whether all numbers are finite.
func (Device) IsFinite(n int, b kernels.Buffer) bool { return finite(take(b, n)) }

func finite(numbers []float64) bool {
	for _, x := range numbers {
		if x-x != 0 { // NaN or infinite
			return false
		}
	}
	return true
}
