package models

import (
	"fmt"
	"math"
	"slices"

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

// Check reports what keeps the snapshot's tensors from taking the place of a
// model's own: both lists must hold tensors of the same names, shapes and
// types in the same order, and all numbers of saved must be finite.
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

// CheckFinite names the first number that is not finite.
func CheckFinite(saved []Tensor) error {
	for _, t := range saved {
		if i := slices.IndexFunc(t.F32, func(x float32) bool { return !Finite(x) }); i >= 0 {
			return fmt.Errorf("snapshot tensor %s: number %d is %v, expected a finite one", t, i, t.F32[i])
		}
	}
	return nil
}

// CheckBounded is Check for numbers that must be within what networks can be
// fed, too.
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

// CheckTimes is for tensors that hold the bits of times in seconds, or none
// where there was no event: it names the first that is not within +-most.
func CheckTimes(t Tensor, most float64, none ...int64) error {
	for i, bits := range t.I64 {
		if x := math.Float64frombits(uint64(bits)); !slices.Contains(none, bits) && !(math.Abs(x) <= most) {
			return fmt.Errorf("snapshot tensor %s: number %d is the time %v, expected one within ±%g", t, i, x, most)
		}
	}
	return nil
}

// String is the tensor's name, type and shape.
func (t Tensor) String() string {
	kind := "F32"
	if t.I64 != nil {
		kind = "I64"
	}
	return fmt.Sprintf("%s (%s %v)", t.Name, kind, t.Shape)
}

// Copy fills dst from the snapshot's tensors, which must pass Check.
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
