package cpu_test

import (
	"math"
	"testing"

	"dgsbench/kernels"
	"dgsbench/kernels/cpu"
	"dgsbench/kernels/devicetest"
	"dgsbench/kernels/portable"
	"dgsbench/kernels/reference"
)

// A drive of any float32 alone becomes a Jacobian that is this number,
// rounded.
func TestJacobiansRoundToBFloat16(t *testing.T) {
	const lanes, features = 31, 3
	rng := newRand(6)
	shape := kernels.JacobianShape{
		Features: features, States: 1, Columns: 1, Half: true,
		State: make([]int32, lanes), Plus: make([]int32, lanes), Minus: make([]int32, lanes),
	}
	s := devicetest.JacobianStep{
		Slots: []int32{-1}, Writes: []kernels.JacobianWrite{{}},
		Keep: make([]float32, 1), Mix: make([]float32, 1), Drive: make([]float32, lanes), X: []float32{1, -1, 1},
	}
	for range 500 {
		for l := range s.Drive {
			s.Drive[l] = math.Float32frombits(rng.Uint32())
			if rng.IntN(2) == 0 { // next to a tie, or one
				s.Drive[l] = math.Float32frombits(rng.Uint32()&^0xffff | 0x7fff + rng.Uint32N(3))
			}
		}
		for _, k := range cpu.Available() {
			d := cpu.NewDevice(k, 1)
			j := d.NewJacobians(shape)
			j.Grow(1)
			step := s.On(d, &shape)
			j.Step(step)
			got := make([]float32, lanes*features)
			j.Read(got, 0)
			for i, v := range got {
				want := portable.FromBFloat16(portable.BFloat16(s.Drive[i/features] * s.X[i%features]))
				if v != want && (v == v || want == want) {
					t.Fatalf("%s: %x becomes %v, want %v", k.Level(), s.Drive[i/features], v, want)
				}
			}
		}
	}
}

// A batch that is no larger than earlier ones allocates nothing.
func TestJacobiansDoNotAllocate(t *testing.T) {
	rng := newRand(7)
	c := devicetest.NewJacobianCase(rng, 100, 30, 60, 20, rng.Float32)
	for _, half := range []bool{false, true} {
		c.Shape.Half = half
		for _, k := range cpu.Available() {
			d := cpu.NewDevice(k, 3)
			j := d.NewJacobians(c.Shape)
			j.Grow(c.Slots)
			var steps []*kernels.JacobianStep
			for _, s := range c.Steps {
				step := s.On(d, &c.Shape)
				steps = append(steps, step)
			}
			if n := testing.AllocsPerRun(3, func() {
				for _, s := range steps {
					j.Step(s)
				}
			}); n != 0 {
				t.Errorf("%s, half %v: %v allocations", k.Level(), half, n)
			}
		}
	}
}

func TestJacobiansRefuseWrongInput(t *testing.T) {
	good := func(d kernels.Device) (kernels.JacobianShape, *kernels.JacobianStep) {
		shape := kernels.JacobianShape{
			Features: 3, States: 2, Columns: 2, State: []int32{0, 1}, Plus: []int32{0, 1}, Minus: []int32{-1, 0},
		}
		s := devicetest.JacobianStep{
			Slots: []int32{0, -1}, Writes: []kernels.JacobianWrite{{Self: 0, Other: 1}, {Self: 1, Slot: 1}},
			Weights: make([]float32, 4), Keep: make([]float32, 2), Mix: make([]float32, 2),
			Drive: make([]float32, 4), X: make([]float32, 3),
		}
		step := s.On(d, &shape)
		return shape, step
	}
	cases := map[string]func(d kernels.Device, shape *kernels.JacobianShape, s *kernels.JacobianStep){
		"lane without columns": func(_ kernels.Device, shape *kernels.JacobianShape, _ *kernels.JacobianStep) {
			shape.Plus = shape.Plus[1:]
		},
		"unknown number":          func(_ kernels.Device, shape *kernels.JacobianShape, _ *kernels.JacobianStep) { shape.State[1] = 2 },
		"unknown column":          func(_ kernels.Device, shape *kernels.JacobianShape, _ *kernels.JacobianStep) { shape.Minus[0] = 2 },
		"unknown slot":            func(_ kernels.Device, _ *kernels.JacobianShape, s *kernels.JacobianStep) { s.Slots[0] = 2 },
		"unknown slot to write":   func(_ kernels.Device, _ *kernels.JacobianShape, s *kernels.JacobianStep) { s.Writes[1].Slot = 2 },
		"no slot to write":        func(_ kernels.Device, _ *kernels.JacobianShape, s *kernels.JacobianStep) { s.Writes[1].Slot = -1 },
		"state that is untouched": func(_ kernels.Device, _ *kernels.JacobianShape, s *kernels.JacobianStep) { s.Writes[0].Other = 2 },
		"short weights":           func(d kernels.Device, _ *kernels.JacobianShape, s *kernels.JacobianStep) { s.Weights = d.NewBuffer(3) },
		"short gradient":          func(d kernels.Device, _ *kernels.JacobianShape, s *kernels.JacobianStep) { s.Grad = d.NewBuffer(5) },
		"one row for all writes":  func(_ kernels.Device, _ *kernels.JacobianShape, s *kernels.JacobianStep) { s.PerWrite = true },
		"short drive":             func(d kernels.Device, _ *kernels.JacobianShape, s *kernels.JacobianStep) { s.Drive = d.NewBuffer(3) },
		"short inputs":            func(_ kernels.Device, _ *kernels.JacobianShape, s *kernels.JacobianStep) { s.Writes[0].Row = 1 },
		"negative row":            func(_ kernels.Device, _ *kernels.JacobianShape, s *kernels.JacobianStep) { s.Writes[0].Row = -1 },
	}
	devices := []kernels.Device{reference.New()}
	for _, k := range cpu.Available() {
		devices = append(devices, cpu.NewDevice(k, 2))
	}
	for _, d := range devices {
		run := func(spoil func(kernels.Device, *kernels.JacobianShape, *kernels.JacobianStep)) {
			shape, step := good(d)
			spoil(d, &shape, step)
			j := d.NewJacobians(shape)
			j.Grow(2)
			j.Step(step)
		}
		run(func(kernels.Device, *kernels.JacobianShape, *kernels.JacobianStep) {})
		for name, spoil := range cases {
			mustPanic(t, d.Name()+": "+name, func() { run(spoil) })
		}
	}
}
