package devicetest

import (
	"math/rand/v2"
	"slices"
	"testing"

	"dgsbench/kernels"
	"dgsbench/kernels/portable"
	"dgsbench/kernels/reference"
)

// JacobianCase is a shape and steps that follow one another.
type JacobianCase struct {
	Shape kernels.JacobianShape
	Slots int
	Steps []JacobianStep
}

// JacobianStep is a kernels.JacobianStep before there are buffers.
type JacobianStep struct {
	Slots                        []int32
	Weights, Keep, Mix, Drive, X []float32
	Writes                       []kernels.JacobianWrite
	PerWrite                     bool
}

// inputRows is the number of rows of X.
const inputRows = 3

// NewJacobianCase has random lanes. Some states have no slot, some are only
// read, some steps have no weights or write nothing.
func NewJacobianCase(rng *rand.Rand, lanes, features, slots, steps int, draw func() float32) JacobianCase {
	c := JacobianCase{Slots: slots, Shape: kernels.JacobianShape{
		Features: features, States: 1 + rng.IntN(9), Columns: 1 + rng.IntN(9),
	}}
	for range lanes {
		c.Shape.State = append(c.Shape.State, rng.Int32N(int32(c.Shape.States)))
		c.Shape.Plus = append(c.Shape.Plus, rng.Int32N(int32(c.Shape.Columns)+1)-1)
		c.Shape.Minus = append(c.Shape.Minus, rng.Int32N(int32(c.Shape.Columns)+1)-1)
	}
	for range steps {
		c.Steps = append(c.Steps, c.step(rng, draw))
	}
	return c
}

// newJacobianComb writes half of the states, the teeth, each from one of the
// others; and these in a row, each from the next. Whoever goes along the row
// first must remember all of it for the teeth.
func newJacobianComb(rng *rand.Rand, lanes, features, slots int, draw func() float32) JacobianCase {
	c := NewJacobianCase(rng, lanes, features, slots, 0, draw)
	row := int32(slots / 2)
	for range 2 { // the first one's Jacobians are zeros
		s := JacobianStep{}
		for i := range 2 * row {
			s.Slots = append(s.Slots, i)
			s.Writes = append(s.Writes, kernels.JacobianWrite{
				Self: i, Other: min(row+i, 2*row-1), Slot: i, Row: rng.Int32N(inputRows),
			})
		}
		for i := row; i < 2*row; i++ {
			s.Writes[i].Other = min(i+1, 2*row-1)
		}
		s.numbers(rng, &c.Shape, draw)
		c.Steps = append(c.Steps, s)
	}
	return c
}

func (c *JacobianCase) step(rng *rand.Rand, draw func() float32) JacobianStep {
	s := JacobianStep{PerWrite: rng.IntN(2) == 0}
	free := rng.Perm(c.Slots)
	take := func() int32 {
		slot := int32(free[0])
		free = free[1:]
		return slot
	}
	for range rng.IntN(c.Slots + 1) {
		slot := int32(-1)
		if rng.IntN(4) > 0 {
			slot = take()
		}
		s.Slots = append(s.Slots, slot)
	}
	for i, slot := range s.Slots {
		if slot < 0 && len(free) > 0 {
			slot = take()
		}
		if slot >= 0 && rng.IntN(3) > 0 {
			s.Writes = append(s.Writes, kernels.JacobianWrite{
				Self: int32(i), Other: rng.Int32N(int32(len(s.Slots))), Slot: slot, Row: rng.Int32N(inputRows),
			})
		}
	}
	s.numbers(rng, &c.Shape, draw)
	return s
}

func (s *JacobianStep) numbers(rng *rand.Rand, shape *kernels.JacobianShape, draw func() float32) {
	some := func(n int) []float32 { return draws(n, draw) }
	rows := 1
	if s.PerWrite {
		rows = len(s.Writes)
	}
	s.Keep, s.Mix = some(rows*shape.States), some(rows*shape.States)
	s.Drive, s.X = some(len(s.Writes)*shape.Lanes()), some(inputRows*shape.Features)
	if rng.IntN(4) > 0 {
		s.Weights = some(len(s.Slots) * shape.States)
	}
}

// Run gives all gradients and in the end all Jacobians, one after another.
func (c *JacobianCase) Run(d kernels.Device, half bool) (numbers []float32) {
	shape := c.Shape
	shape.Half = half
	j := d.NewJacobians(shape)
	j.Grow(c.Slots / 2)
	j.Grow(c.Slots)
	for _, s := range c.Steps {
		step := s.On(d, &shape)
		j.Step(step)
		if s.Weights != nil {
			numbers = append(numbers, download(d, step.Grad)...)
		}
	}
	x := make([]float32, shape.Lanes()*shape.Features)
	for slot := range c.Slots {
		j.Read(x, slot)
		numbers = append(numbers, x...)
	}
	return numbers
}

// On is the step with buffers of the device. What Grad holds before is
// overwritten.
func (s *JacobianStep) On(d kernels.Device, shape *kernels.JacobianShape) *kernels.JacobianStep {
	step := &kernels.JacobianStep{
		Slots: s.Slots, Writes: s.Writes, PerWrite: s.PerWrite,
		Keep: upload(d, s.Keep...), Mix: upload(d, s.Mix...), Drive: upload(d, s.Drive...), X: upload(d, s.X...),
	}
	if s.Weights != nil {
		step.Weights = upload(d, s.Weights...)
		step.Grad = upload(d, slices.Repeat([]float32{7}, shape.Features*shape.Columns)...)
	}
	return step
}

// jacobianSizes are lanes, features and states. The last has more copies than
// a block has room for where it is a comb, and several blocks.
var jacobianSizes = [][3]int{{0, 5, 3}, {5, 0, 3}, {1, 1, 1}, {7, 3, 12}, {33, 17, 9}, {100, 11, 40}, {37, 19, 900}}

// checkJacobians runs whole numbers, which are exact in any order and even in
// bfloat16, and others.
func checkJacobians(t *testing.T, tolerance float64, devices []kernels.Device) {
	for _, s := range jacobianSizes {
		for _, whole := range []bool{true, false} {
			rng := rand.New(rand.NewPCG(uint64(s[0]), uint64(s[2])))
			draw := drawNumber(rng, whole)
			checkJacobianCase(t, tolerance, whole, NewJacobianCase(rng, s[0], s[1], s[2], 3, draw), devices)
			if s[0] > 0 && s[2] > 100 {
				checkJacobianCase(t, tolerance, whole, newJacobianComb(rng, s[0], s[1], s[2], draw), devices)
			}
		}
	}
}

func drawNumber(rng *rand.Rand, whole bool) func() float32 {
	return func() float32 {
		if whole {
			return float32(rng.IntN(3) - 1)
		}
		return rng.Float32() - .5
	}
}

func checkJacobianCase(t *testing.T, tolerance float64, whole bool, c JacobianCase, devices []kernels.Device) {
	t.Helper()
	lanes := c.Shape.Lanes()
	want := c.Run(reference.New(), false)
	first := map[bool][]float32{}
	for _, d := range devices {
		for _, half := range []bool{false, true} {
			got := c.Run(d, half)
			if first[half] == nil {
				first[half] = got
			}
			sameBits(t, lanes, got, first[half])
			switch {
			case whole:
				closeTo(t, lanes, got, want, 0)
			case half: // of 8 bits
				closeTo(t, lanes, got, want, .02)
			default:
				closeTo(t, lanes, got, want, 8*tolerance)
			}
		}
	}
}

// checkHalves: Jacobians that were made in one step from zeros are with Half
// those without it, each number rounded to the nearest bfloat16.
func checkHalves(t *testing.T, d kernels.Device) {
	rng := rand.New(rand.NewPCG(1, 2))
	// A product of two has up to ten bits, two more than are kept: some lie
	// between two bfloat16 numbers.
	draw := func() float32 { return 1 + float32(rng.IntN(16))/16 }
	c := NewJacobianCase(rng, 33, 17, 20, 1, draw)
	whole, half := c.Run(d, false), c.Run(d, true)
	if slices.Equal(whole, half) {
		t.Fatalf("%s: nothing was rounded", d.Name())
	}
	for i, x := range whole {
		if want := portable.FromBFloat16(portable.BFloat16(x)); half[i] != want {
			t.Fatalf("%s: %v became %v, expected %v", d.Name(), x, half[i], want)
		}
	}
}
