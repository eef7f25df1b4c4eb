package portable

import "dgsbench/kernels"

// JacobianStep is a [kernels.JacobianStep] on slices.
type JacobianStep[T Float] struct {
	*kernels.JacobianStep
	Weights, Grad, Keep, Mix, Drive, X []T
}

// Step returns a step on slices.
func (d *Device[T]) Step(s *kernels.JacobianStep) JacobianStep[T] {
	return JacobianStep[T]{
		s, d.Elements(s.Weights), d.Elements(s.Grad), d.Elements(s.Keep), d.Elements(s.Mix), d.Elements(s.Drive), d.Elements(s.X),
	}
}

// jacobians are never rounded to bfloat16. A slot holds a row of Lanes numbers
// for each feature.
type jacobians[T Float] struct {
	device *Device[T]
	shape  kernels.JacobianShape
	slots  [][]T
}

func (d *Device[T]) NewJacobians(s kernels.JacobianShape) kernels.Jacobians {
	s.Check()
	return &jacobians[T]{device: d, shape: s}
}

func (j *jacobians[T]) Grow(n int) {
	for len(j.slots) < n {
		j.slots = append(j.slots, j.zeros())
	}
}

func (j *jacobians[T]) zeros() []T { return make([]T, j.shape.Features*j.shape.Lanes()) }

func (j *jacobians[T]) Read(dst []float32, slot int) {
	lanes := j.shape.Lanes()
	for at, v := range j.slots[slot] {
		dst[at%lanes*j.shape.Features+at/lanes] = float32(v)
	}
}

func (j *jacobians[T]) Step(step *kernels.JacobianStep) {
	step.Check(j.shape, len(j.slots))
	if j.device.FoundBad() {
		return
	}
	s := j.device.Step(step)
	sum, old := j.zeros(), make([][]T, len(s.Slots)) // of the touched states
	for i, slot := range s.Slots {
		old[i] = j.zeros()
		if slot >= 0 {
			copy(old[i], j.slots[slot])
			ReadJacobian(sum, old[i], j.ofLanes(s.Weights, i))
		}
	}
	if s.Weights != nil {
		clear(s.Grad[:j.shape.Features*j.shape.Columns])
		AddLanes(&j.shape, s.Grad, sum, 0, j.shape.Lanes(), 0, j.shape.Features)
	}
	for w, to := range s.Writes {
		row := 0
		if s.PerWrite {
			row = w
		}
		drive, x := s.Drive[w*j.shape.Lanes():][:j.shape.Lanes()], s.X[int(to.Row)*j.shape.Features:][:j.shape.Features]
		WriteJacobian(j.slots[to.Slot], old[to.Self], old[to.Other], j.ofLanes(s.Keep, row), j.ofLanes(s.Mix, row), drive, x)
	}
}

// ofLanes gives each lane its number of a row of States numbers, or zero if
// there are none.
func (j *jacobians[T]) ofLanes(numbers []T, row int) []T {
	of := make([]T, j.shape.Lanes())
	if numbers != nil {
		for l, state := range j.shape.State {
			of[l] = numbers[row*j.shape.States:][state]
		}
	}
	return of
}

// ReadJacobian adds rows x of len(weights) lanes, each lane times its weight, to
// the rows of sum.
func ReadJacobian[T Float](sum, x, weights []T) {
	n := len(weights)
	for ; n > 0 && len(x) > 0; sum, x = sum[n:], x[n:] {
		total, from := sum[:n], x[:n]
		for l, w := range weights {
			total[l] += w * from[l]
		}
	}
}

// WriteJacobian is dst = keep self + mix other + drive x, in a row of
// len(keep) lanes for each element of x. dst may be self.
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
