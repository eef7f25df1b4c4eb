package cpu_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"dgsbench/kernels"
	"dgsbench/kernels/cpu"
	"dgsbench/kernels/reference"
)

// jacobianCase is a drawn shape with some steps.
type jacobianCase struct {
	shape kernels.JacobianShape
	slots int
	steps []jacobianStep
}

// jacobianStep is a kernels.JacobianStep before there are buffers.
type jacobianStep struct {
	slots                        []int32
	writes                       []kernels.JacobianWrite
	weights, keep, mix, drive, x []float32
	perWrite                     bool
}

func drawJacobians(t *rapid.T) jacobianCase {
	lanes := rapid.IntRange(0, 45).Draw(t, "lanes")
	c := jacobianCase{slots: rapid.IntRange(1, 12).Draw(t, "slots")}
	c.shape = kernels.JacobianShape{
		Features: rapid.IntRange(0, 40).Draw(t, "features"), States: rapid.IntRange(1, 9).Draw(t, "states"),
		Columns: rapid.IntRange(1, 9).Draw(t, "columns"),
	}
	rng := newRand(rapid.Uint64().Draw(t, "seed"))
	for range lanes {
		c.shape.State = append(c.shape.State, rng.Int32N(int32(c.shape.States)))
		c.shape.Plus = append(c.shape.Plus, rng.Int32N(int32(c.shape.Columns)+1)-1)
		c.shape.Minus = append(c.shape.Minus, rng.Int32N(int32(c.shape.Columns)+1)-1)
	}
	random := func(n int) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = rng.Float32() - .5
		}
		return x
	}
	for range rapid.IntRange(1, 4).Draw(t, "steps") {
		s := jacobianStep{perWrite: rng.IntN(2) == 0}
		fresh := rng.Perm(c.slots)
		for range rng.IntN(c.slots + 1) {
			slot := int32(-1)
			if rng.IntN(4) > 0 {
				slot = int32(fresh[0])
				fresh = fresh[1:]
			}
			s.slots = append(s.slots, slot)
		}
		const rows = 3
		for i, slot := range s.slots {
			if rng.IntN(3) == 0 {
				continue
			}
			if slot < 0 {
				if len(fresh) == 0 {
					continue
				}
				slot, fresh = int32(fresh[0]), fresh[1:]
			}
			s.writes = append(s.writes, kernels.JacobianWrite{Self: int32(i), Other: rng.Int32N(int32(len(s.slots))), Slot: slot, Row: rng.Int32N(rows)})
		}
		coefficients := 1
		if s.perWrite {
			coefficients = len(s.writes)
		}
		s.keep, s.mix = random(coefficients*c.shape.States), random(coefficients*c.shape.States)
		s.drive, s.x = random(len(s.writes)*lanes), random(rows*c.shape.Features)
		if rng.IntN(4) > 0 {
			s.weights = random(len(s.slots) * c.shape.States)
		}
		c.steps = append(c.steps, s)
	}
	return c
}

// run works the steps off and returns all gradients and, at the end, all Jacobians.
func (c jacobianCase) run(d kernels.Device) (numbers []float32) {
	j := d.NewJacobians(c.shape)
	j.Grow(c.slots)
	buffer := func(x []float32) kernels.Buffer {
		b := d.NewBuffer(len(x))
		d.Write(b, x)
		return b
	}
	for _, s := range c.steps {
		step := &kernels.JacobianStep{
			Slots: s.slots, Writes: s.writes, PerWrite: s.perWrite,
			Keep: buffer(s.keep), Mix: buffer(s.mix), Drive: buffer(s.drive), X: buffer(s.x),
		}
		if s.weights == nil {
			j.Step(step)
			continue
		}
		grad := slices.Repeat([]float32{7}, c.shape.Features*c.shape.Columns)
		step.Weights, step.Grad = buffer(s.weights), buffer(grad)
		j.Step(step)
		d.Read(grad, step.Grad)
		numbers = append(numbers, grad...)
	}
	for slot := range c.slots {
		x := make([]float32, c.shape.Lanes()*c.shape.Features)
		j.Read(x, slot)
		numbers = append(numbers, x...)
	}
	return numbers
}

func TestJacobians(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawJacobians(t)
		want := c.run(reference.New())
		for _, half := range []bool{false, true} {
			tolerance := 1e-5
			if half {
				tolerance = .05
			}
			c.shape.Half = half
			var bits []float32
			for _, k := range cpu.Available() {
				for _, threads := range []int{1, 3} {
					name := fmt.Sprintf("%s, %d threads, half %v", k.Level(), threads, half)
					got := c.run(cpu.NewDevice(k, threads))
					for i, v := range got {
						if !(math.Abs(float64(v-want[i])) <= tolerance) {
							t.Fatalf("%s: %d: %v, want %v", name, i, v, want[i])
						}
					}
					if k.Level() != cpu.Portable && bits == nil {
						bits = got
					}
					if k.Level() != cpu.Portable && !slices.Equal(bits, got) {
						t.Fatalf("%s: other bits", name)
					}
				}
			}
		}
	})
}
