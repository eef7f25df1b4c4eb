package kernels

import (
	"fmt"
	"math"
)

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

// Check panics if the step does not fit Jacobians of this shape in so many
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
