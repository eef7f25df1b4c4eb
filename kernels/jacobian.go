package kernels

import (
	"fmt"
	"math"
)

// JacobianShape describes the Jacobian of one state: Lanes x Features
// numbers. Lane l is the derivative of number State[l] of the state with
// respect to the weights of one output of a linear layer, a number for each
// of its inputs (features).
type JacobianShape struct {
	Features int
	States   int     // numbers of a state
	State    []int32 // lane -> number of the state
	// Plus and Minus name, for each lane, the column of the gradient that it
	// is added to and the one that it is subtracted from; -1 is none.
	Plus, Minus []int32
	Columns     int  // of the gradient
	Half        bool // keep bfloat16 numbers: half the memory, 8 bits of precision
}

// Lanes is the number of lanes.
func (s JacobianShape) Lanes() int { return len(s.State) }

// Bytes is the memory of one Jacobian.
func (s JacobianShape) Bytes() int64 {
	size := int64(4)
	if s.Half {
		size = 2
	}
	return size * int64(s.Lanes()) * int64(s.Features)
}

// Jacobians stores the Jacobians of many states in numbered slots and updates
// them with the states.
type Jacobians interface {
	// Grow adds slots up to n-1. Existing ones keep their contents.
	Grow(n int)
	// Step applies a batch: each Jacobian is read once and written once.
	// There is no step after a bad buffer (Checks).
	Step(s *JacobianStep)
	// Read copies the Jacobian of a slot, Lanes x Features, for tests.
	Read(dst []float32, slot int)
}

// JacobianStep is what a batch does to the Jacobians of the states that it
// touches. All reads come before the first write.
type JacobianStep struct {
	// Slots are those of the touched states, each once; -1 is a Jacobian of
	// zeros, which has no slot yet.
	Slots []int32

	// Weights (len(Slots) x States) are the gradients of the loss by the
	// touched states. If they are not nil, Grad (Features x Columns) is set:
	//
	//	Grad[c, Plus[l]]  += sum over the touched i of Weights[i, State[l]] J_i[l, c]
	//	Grad[c, Minus[l]] -= the same
	Weights, Grad Buffer

	// Writes are the states that change.
	Writes []JacobianWrite
	// Keep and Mix are States numbers, or a row of them for each write with
	// PerWrite; Drive is a row of Lanes numbers for each write; X has rows of
	// Features.
	Keep, Mix, Drive, X Buffer
	PerWrite            bool
}

// JacobianWrite is a new Jacobian: for write w, with the lanes' numbers of
// the state j = State[l],
//
//	J'[l, c] = Keep[j] J_self[l, c] + Mix[j] J_other[l, c] + Drive[w, l] X[Row, c]
type JacobianWrite struct {
	Self, Other int32 // positions in Slots
	Slot        int32 // that takes it; that of Self if it has one
	Row         int32 // of X
}

// Check panics if the lanes of the shape do not fit together.
func (s JacobianShape) Check() {
	if s.Features < 0 || len(s.Plus) != s.Lanes() || len(s.Minus) != s.Lanes() {
		panic(fmt.Sprintf("jacobians: %d features, %d lanes, but %d and %d columns", s.Features, s.Lanes(), len(s.Plus), len(s.Minus)))
	}
	for l, j := range s.State {
		inside("number of a state", int(j), 0, s.States)
		inside("column", int(s.Plus[l]), -1, s.Columns)
		inside("column", int(s.Minus[l]), -1, s.Columns)
	}
}

// Check panics if the step does not fit Jacobians of this shape with slots
// slots.
func (s *JacobianStep) Check(shape JacobianShape, slots int) {
	for _, slot := range s.Slots {
		inside("slot", int(slot), -1, slots)
	}
	if s.Weights != nil {
		holds("weights", s.Weights, len(s.Slots)*shape.States)
		holds("gradient", s.Grad, shape.Features*shape.Columns)
	}
	if len(s.Writes) == 0 {
		return
	}
	rows := 1
	if s.PerWrite {
		rows = len(s.Writes)
	}
	holds("numbers to keep", s.Keep, rows*shape.States)
	holds("numbers to mix", s.Mix, rows*shape.States)
	holds("drive", s.Drive, len(s.Writes)*shape.Lanes())
	for _, w := range s.Writes {
		inside("touched state", int(w.Self), 0, len(s.Slots))
		inside("touched state", int(w.Other), 0, len(s.Slots))
		inside("slot", int(w.Slot), 0, slots)
		inside("row", int(w.Row), 0, math.MaxInt32)
		holds("inputs", s.X, (int(w.Row)+1)*shape.Features)
	}
}

func inside(what string, i, low, end int) {
	if i < low || i >= end {
		panic(fmt.Sprintf("jacobians: %s %d is not in %d to %d", what, i, low, end-1))
	}
}

func holds(what string, b Buffer, n int) {
	if b.Len() < n {
		panic(fmt.Sprintf("jacobians: %s of %d, need %d", what, b.Len(), n))
	}
}
