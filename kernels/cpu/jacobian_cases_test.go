package cpu_test

import (
	"math/rand/v2"
	"slices"

	"pgregory.net/rapid"

	"dgsbench/kernels"
)

// jacobianCase is a shape and steps that follow one another.
type jacobianCase struct {
	shape kernels.JacobianShape
	slots int
	steps []jacobianStep
}

// jacobianStep is a kernels.JacobianStep before there are buffers.
type jacobianStep struct {
	slots                        []int32
	weights, keep, mix, drive, x []float32
	writes                       []kernels.JacobianWrite
	perWrite                     bool
}

// inputRows is the number of rows of X.
const inputRows = 3

// newJacobianCase has random lanes. Some states have no slot, some are only
// read, some steps have no weights or write nothing.
func newJacobianCase(rng *rand.Rand, lanes, features, slots, steps int, draw func() float32) jacobianCase {
	c := jacobianCase{slots: slots, shape: kernels.JacobianShape{
		Features: features, States: 1 + rng.IntN(9), Columns: 1 + rng.IntN(9),
	}}
	for range lanes {
		c.shape.State = append(c.shape.State, rng.Int32N(int32(c.shape.States)))
		c.shape.Plus = append(c.shape.Plus, rng.Int32N(int32(c.shape.Columns)+1)-1)
		c.shape.Minus = append(c.shape.Minus, rng.Int32N(int32(c.shape.Columns)+1)-1)
	}
	for range steps {
		c.steps = append(c.steps, c.step(rng, draw))
	}
	return c
}

// drawJacobianCase draws sizes around those of the vectors.
func drawJacobianCase(t *rapid.T, number func(rng *rand.Rand) float32) jacobianCase {
	lanes, features := rapid.IntRange(0, 45).Draw(t, "lanes"), rapid.IntRange(0, 40).Draw(t, "features")
	slots, steps := rapid.IntRange(1, 12).Draw(t, "slots"), rapid.IntRange(1, 4).Draw(t, "steps")
	rng := newRand(rapid.Uint64().Draw(t, "seed"))
	return newJacobianCase(rng, lanes, features, slots, steps, func() float32 { return number(rng) })
}

func (c *jacobianCase) step(rng *rand.Rand, draw func() float32) jacobianStep {
	s := jacobianStep{perWrite: rng.IntN(2) == 0}
	free := rng.Perm(c.slots)
	take := func() int32 {
		slot := int32(free[0])
		free = free[1:]
		return slot
	}
	for range rng.IntN(c.slots + 1) {
		slot := int32(-1)
		if rng.IntN(4) > 0 {
			slot = take()
		}
		s.slots = append(s.slots, slot)
	}
	for i, slot := range s.slots {
		if slot < 0 && len(free) > 0 {
			slot = take()
		}
		if slot >= 0 && rng.IntN(3) > 0 {
			s.writes = append(s.writes, kernels.JacobianWrite{
				Self: int32(i), Other: rng.Int32N(int32(len(s.slots))), Slot: slot, Row: rng.Int32N(inputRows),
			})
		}
	}
	s.numbers(rng, &c.shape, draw)
	return s
}

func (s *jacobianStep) numbers(rng *rand.Rand, shape *kernels.JacobianShape, draw func() float32) {
	some := func(n int) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = draw()
		}
		return x
	}
	rows := 1
	if s.perWrite {
		rows = len(s.writes)
	}
	s.keep, s.mix = some(rows*shape.States), some(rows*shape.States)
	s.drive, s.x = some(len(s.writes)*shape.Lanes()), some(inputRows*shape.Features)
	if rng.IntN(4) > 0 {
		s.weights = some(len(s.slots) * shape.States)
	}
}

// run gives all gradients and in the end all Jacobians, one after another.
func (c *jacobianCase) run(d kernels.Device, half bool) (numbers []float32) {
	shape := c.shape
	shape.Half = half
	j := d.NewJacobians(shape)
	j.Grow(c.slots / 2)
	j.Grow(c.slots)
	for _, s := range c.steps {
		step, grad := s.on(d, &shape)
		j.Step(step)
		if s.weights != nil {
			d.Read(grad, step.Grad)
			numbers = append(numbers, grad...)
		}
	}
	x := make([]float32, shape.Lanes()*shape.Features)
	for slot := range c.slots {
		j.Read(x, slot)
		numbers = append(numbers, x...)
	}
	return numbers
}

// on is the step with buffers of the device. What Grad holds before is
// overwritten.
func (s *jacobianStep) on(d kernels.Device, shape *kernels.JacobianShape) (step *kernels.JacobianStep, grad []float32) {
	buffer := func(x []float32) kernels.Buffer {
		b := d.NewBuffer(len(x))
		d.Write(b, x)
		return b
	}
	step = &kernels.JacobianStep{
		Slots: s.slots, Writes: s.writes, PerWrite: s.perWrite,
		Keep: buffer(s.keep), Mix: buffer(s.mix), Drive: buffer(s.drive), X: buffer(s.x),
	}
	if s.weights != nil {
		grad = slices.Repeat([]float32{7}, shape.Features*shape.Columns)
		step.Weights, step.Grad = buffer(s.weights), buffer(grad)
	}
	return step, grad
}
