package portable

import "dgsbench/kernels"

// Jacobians stores the Jacobians of states and updates them, as
// [kernels.Jacobians]. A slot holds a row of Lanes numbers for each feature.
// They are never rounded to bfloat16.
type Jacobians[T Float] struct {
	Shape kernels.JacobianShape
	slots [][]T
}

// JacobianStep is a [kernels.JacobianStep] on slices.
type JacobianStep[T Float] struct {
	Slots               []int32
	Weights, Grad       []T
	Writes              []kernels.JacobianWrite
	Keep, Mix, Drive, X []T
	PerWrite            bool
}

// Slots is the number of slots.
func (j *Jacobians[T]) Slots() int { return len(j.slots) }

// Grow adds slots up to n-1.
func (j *Jacobians[T]) Grow(n int) {
	for len(j.slots) < n {
		j.slots = append(j.slots, j.zeros())
	}
}

func (j *Jacobians[T]) zeros() []T { return make([]T, j.Shape.Features*j.Shape.Lanes()) }

// At is number c of lane l of the Jacobian of a slot.
func (j *Jacobians[T]) At(slot, l, c int) T { return j.slots[slot][c*j.Shape.Lanes()+l] }

// Step applies a batch.
func (j *Jacobians[T]) Step(s *JacobianStep[T]) {
	sum, old := j.zeros(), make([][]T, len(s.Slots))
	weights := make([]T, j.Shape.Lanes())
	for i, slot := range s.Slots {
		old[i] = j.zeros()
		if slot < 0 {
			continue
		}
		if s.Weights != nil {
			j.spread(weights, s.Weights, i)
		}
		ReadJacobian(sum, old[i], j.slots[slot], weights)
	}
	if s.Weights != nil {
		clear(s.Grad[:j.Shape.Features*j.Shape.Columns])
		AddLanes(&j.Shape, s.Grad, sum, 0, j.Shape.Lanes(), 0, j.Shape.Features)
	}
	j.write(s, old)
}

// write stores the new Jacobians, made from the old ones of the touched
// states.
func (j *Jacobians[T]) write(s *JacobianStep[T], old [][]T) {
	lanes, features := j.Shape.Lanes(), j.Shape.Features
	keep, mix := make([]T, lanes), make([]T, lanes)
	for w, to := range s.Writes {
		row := 0
		if s.PerWrite {
			row = w
		}
		j.spread(keep, s.Keep, row)
		j.spread(mix, s.Mix, row)
		x := s.X[int(to.Row)*features:][:features]
		WriteJacobian(j.slots[to.Slot], old[to.Self], old[to.Other], keep, mix, s.Drive[w*lanes:][:lanes], x)
	}
}

// spread gives each lane its number of a row of States numbers.
func (j *Jacobians[T]) spread(dst, numbers []T, row int) {
	numbers = numbers[row*j.Shape.States:]
	for l, state := range j.Shape.State {
		dst[l] = numbers[state]
	}
}

// ReadJacobian copies rows x of len(weights) lanes to dst and adds them, each
// lane times its weight, to the rows of sum.
func ReadJacobian[T Float](sum, dst, x, weights []T) {
	n := len(weights)
	for ; n > 0 && len(x) > 0; sum, dst, x = sum[n:], dst[n:], x[n:] {
		total, to, from := sum[:n], dst[:n], x[:n]
		for l, w := range weights {
			to[l] = from[l]
			total[l] += w * from[l]
		}
	}
}

// WriteJacobian is dst = keep self + mix other + drive x, in a row of
// len(keep) lanes for each element of x.
func WriteJacobian[T Float](dst, self, other, keep, mix, drive, x []T) {
	n := len(keep)
	mix, drive = mix[:n], drive[:n]
	for c, v := range x {
		to, a, b := dst[c*n:][:n], self[c*n:][:n], other[c*n:][:n]
		for l, k := range keep {
			to[l] = k*a[l] + (mix[l]*b[l] + drive[l]*v)
		}
	}
}

// AddLanes adds features lo to hi-1 of some lanes, from lane on, to their Plus
// columns of the gradient and subtracts them from their Minus columns. The rows
// of sum are width lanes wide; those beyond the last lane of the shape are
// ignored.
func AddLanes[T Float](s *kernels.JacobianShape, grad, sum []T, lane, width, lo, hi int) {
	end := min(lane+width, s.Lanes())
	plus, minus := s.Plus[lane:end], s.Minus[lane:end]
	for c := lo; c < hi; c++ {
		to, from := grad[c*s.Columns:][:s.Columns], sum[c*width:][:len(plus)]
		for l, v := range from {
			if column := plus[l]; column >= 0 {
				to[column] += v
			}
			if column := minus[l]; column >= 0 {
				to[column] -= v
			}
		}
	}
}

// NewJacobians returns storage for Jacobians of one shape.
func (d *Device[T]) NewJacobians(s kernels.JacobianShape) kernels.Jacobians {
	s.Check()
	return &deviceJacobians[T]{Jacobians[T]{Shape: s}, d}
}

type deviceJacobians[T Float] struct {
	Jacobians[T]
	device *Device[T]
}

// Step applies a batch.
func (j *deviceJacobians[T]) Step(s *kernels.JacobianStep) {
	s.Check(j.Shape, j.Slots())
	if !j.device.FoundBad() {
		step := j.device.Step(s)
		j.Jacobians.Step(&step)
	}
}

// Read copies the Jacobian of a slot.
func (j *deviceJacobians[T]) Read(dst []float32, slot int) {
	for l := range j.Shape.Lanes() {
		for c := range j.Shape.Features {
			dst[l*j.Shape.Features+c] = float32(j.At(slot, l, c))
		}
	}
}

// Step returns a step on slices.
func (d *Device[T]) Step(s *kernels.JacobianStep) JacobianStep[T] {
	return JacobianStep[T]{
		Slots: s.Slots, Weights: d.Elements(s.Weights), Grad: d.Elements(s.Grad), Writes: s.Writes,
		Keep: d.Elements(s.Keep), Mix: d.Elements(s.Mix), Drive: d.Elements(s.Drive), X: d.Elements(s.X), PerWrite: s.PerWrite,
	}
}
