package models

import (
	"cmp"
	"slices"

	"dgsbench/internal/safetensors"
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
	Input         []Tensor // of a Saved alone: what makes events of records
}

// Take returns a snapshot of the parameters, and for Everything of the state.
func Take(what Part, params, state Fields) Snapshot {
	s := Snapshot{Params: params.Tensors()}
	if what == Everything {
		s.State = state.Tensors()
	}
	return s
}

// Put replaces parameters and state by those of a snapshot, if all of it fits.
func Put(s Snapshot, params, state Fields) error {
	if s.State == nil {
		state = nil
	}
	if err := cmp.Or(params.Check(s.Params), state.Check(s.State)); err != nil {
		return err
	}
	params.Set(s.Params)
	state.Set(s.State)
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
