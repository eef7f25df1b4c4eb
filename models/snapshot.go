package models

import (
	"fmt"
	"slices"
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
type Tensor struct {
	Name  string
	Shape []int
	F32   []float32
	I64   []int64
}

// Snapshot is a copy of a model's parameters and, if State is not nil, of
// its per-node state.
type Snapshot struct {
	Params, State []Tensor
}

// Copy fills dst from the snapshot tensors of the same names and sizes.
// Both lists must hold the same tensors in the same order.
func Copy(dst, src []Tensor) error {
	if len(dst) != len(src) {
		return fmt.Errorf("snapshot has %d tensors, the model has %d", len(src), len(dst))
	}
	for i, d := range dst {
		s := src[i]
		if d.Name != s.Name || !slices.Equal(d.Shape, s.Shape) || len(d.F32) != len(s.F32) || len(d.I64) != len(s.I64) {
			return fmt.Errorf("snapshot tensor %s %v does not fit the model's %s %v", s.Name, s.Shape, d.Name, d.Shape)
		}
	}
	for i, d := range dst {
		copy(d.F32, src[i].F32)
		copy(d.I64, src[i].I64)
	}
	return nil
}

// Clone is a deep copy of a list of tensors.
func Clone(ts []Tensor) []Tensor {
	out := make([]Tensor, len(ts))
	for i, t := range ts {
		out[i] = Tensor{
			Name: t.Name, Shape: append([]int(nil), t.Shape...),
			F32: append([]float32(nil), t.F32...), I64: append([]int64(nil), t.I64...),
		}
	}
	return out
}
