package models

import (
	"fmt"
	"math"
	"slices"

	"dgsbench/internal/safetensors"
	"dgsbench/nn"
)

// Part says what a snapshot holds.
type Part int

// Parameters alone serve early stopping with replay; Everything also holds
// the state of all nodes.
const (
	Parameters Part = iota
	Everything
)

// Tensor is a named block of numbers, row major. One of F32 and I64 is set.
type Tensor = safetensors.Tensor

// Snapshot is a copy of a model's parameters and, if State is not nil, of
// its per-node state.
type Snapshot struct {
	Params, State []Tensor
}

// State is what a model keeps of nodes, as its snapshots hold it.
type State interface {
	// Tensors copies the state.
	Tensors() []Tensor
	// CheckTensors returns an error for tensors that the model cannot have.
	CheckTensors(saved []Tensor) error
	// SetTensors replaces the state by tensors that have passed CheckTensors.
	SetTensors(saved []Tensor)
}

// Take returns a snapshot of the parameters, which are copies, and for
// Everything of the state. state is nil for models without one.
func Take(what Part, params []Tensor, state State) Snapshot {
	s := Snapshot{Params: params}
	if what == Everything && state != nil {
		s.State = state.Tensors()
	}
	return s
}

// Put replaces parameters and state by those of a snapshot, if all of it
// fits: setParams checks the parameters before it writes any. It is nil for
// models without parameters, and state for those without one.
func Put(s Snapshot, setParams func(saved []Tensor) error, state State) error {
	if state == nil {
		state = stateless{}
	}
	if setParams == nil {
		setParams = stateless{}.CheckTensors
	}
	if s.State != nil {
		if err := state.CheckTensors(s.State); err != nil {
			return err
		}
	}
	if err := setParams(s.Params); err != nil {
		return err
	}
	if s.State != nil {
		state.SetTensors(s.State)
	}
	return nil
}

// stateless is the State of models without one.
type stateless struct{}

func (stateless) Tensors() []Tensor                 { return nil }
func (stateless) CheckTensors(saved []Tensor) error { return Check(nil, saved) }
func (stateless) SetTensors([]Tensor)               {}

// Check returns an error unless both lists hold tensors of the same names,
// shapes and types in the same order, and all numbers of saved are finite.
func Check(own, saved []Tensor) error {
	if len(own) != len(saved) {
		return fmt.Errorf("snapshot has %d tensors, the model has %d", len(saved), len(own))
	}
	for i, o := range own {
		s := saved[i]
		if o.Name != s.Name || !slices.Equal(o.Shape, s.Shape) || len(o.F32) != len(s.F32) || len(o.I64) != len(s.I64) {
			return fmt.Errorf("snapshot tensor %s does not fit the model's %s", s, o)
		}
	}
	return CheckFinite(saved)
}

// CheckFinite returns an error for the first number that is not finite.
func CheckFinite(saved []Tensor) error {
	for _, t := range saved {
		if i := slices.IndexFunc(t.F32, func(x float32) bool { return !Finite(x) }); i >= 0 {
			return fmt.Errorf("snapshot tensor %s: number %d is %v, expected a finite one", t, i, t.F32[i])
		}
	}
	return nil
}

// CheckBounded is Check for numbers that must also be within ±nn.Largest.
func CheckBounded(own, saved []Tensor) error {
	if err := Check(own, saved); err != nil {
		return err
	}
	for _, t := range saved {
		if !nn.Within(t.F32) {
			return fmt.Errorf("snapshot tensor %s has a number beyond ±%g", t, nn.Largest)
		}
	}
	return nil
}

// CheckTimes returns an error for the first number that is neither in none nor
// the bits of a time within ±most seconds.
func CheckTimes(t Tensor, most float64, none ...int64) error {
	for i, bits := range t.I64 {
		if x := math.Float64frombits(uint64(bits)); !slices.Contains(none, bits) && !(math.Abs(x) <= most) {
			return fmt.Errorf("snapshot tensor %s: number %d is the time %v, expected one within ±%g", t, i, x, most)
		}
	}
	return nil
}

// Copy copies the numbers of src to dst if they pass Check.
func Copy(dst, src []Tensor) error {
	if err := Check(dst, src); err != nil {
		return err
	}
	for i, d := range dst {
		copy(d.F32, src[i].F32)
		copy(d.I64, src[i].I64)
	}
	return nil
}

// Clone returns a deep copy of the tensors.
func Clone(ts []Tensor) []Tensor {
	out := slices.Clone(ts)
	for i, t := range ts {
		out[i].Shape, out[i].F32, out[i].I64 = slices.Clone(t.Shape), slices.Clone(t.F32), slices.Clone(t.I64)
	}
	return out
}
