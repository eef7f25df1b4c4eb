package reference

import (
	"dgsbench/kernels"
	"dgsbench/kernels/portable"
)

// NewJacobians keeps Jacobians of one shape in float64, Half or not.
func (d Device) NewJacobians(s kernels.JacobianShape) kernels.Jacobians {
	s.Check()
	return &jacobians{d.seen, portable.Jacobians[float64]{Shape: s}}
}

type jacobians struct {
	seen  *portable.Seen
	exact portable.Jacobians[float64]
}

// Grow makes room for slots 0 to n-1.
func (j *jacobians) Grow(n int) { j.exact.Grow(n) }

// Step works a batch off.
func (j *jacobians) Step(s *kernels.JacobianStep) {
	s.Check(j.exact.Shape, j.exact.Slots())
	if j.seen.Bad() {
		return
	}
	j.exact.Step(&portable.JacobianStep[float64]{
		Slots: s.Slots, Weights: numbers(s.Weights), Grad: numbers(s.Grad), Writes: s.Writes,
		Keep: numbers(s.Keep), Mix: numbers(s.Mix), Drive: numbers(s.Drive), X: numbers(s.X), PerWrite: s.PerWrite,
	})
}

// numbers are those of a buffer, nil if there is none.
func numbers(b kernels.Buffer) []float64 {
	if b == nil {
		return nil
	}
	return b.(buffer)
}

// Read copies the Jacobian of a slot.
func (j *jacobians) Read(dst []float32, slot int) {
	features := j.exact.Shape.Features
	for l := range j.exact.Shape.Lanes() {
		for c := range features {
			dst[l*features+c] = float32(j.exact.At(slot, l, c))
		}
	}
}
