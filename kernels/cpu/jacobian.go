package cpu

import (
	"sync/atomic"

	"dgsbench/kernels"
)

// jacobians keeps Jacobians on the processor, as float32 or, in half the
// memory, as bfloat16.
type jacobians[S float32 | uint16] struct {
	shape         kernels.JacobianShape
	pool          *Pool
	read          func(b *jacobianBlock, sum, keep, weights []float32, x, next []S, lanes []int32)
	write         func(b *jacobianBlock, dst []S, self, other []float32, u *jacobianUpdate, lanes, driven []int32)
	lanes, driven []int32
	size          int
	perSlab       int
	slabs         [][]S
	slots         int

	sum       []float32
	noWeights []float32
	step      *kernels.JacobianStep
	old       [][]S
	reads     []int32
	place     []int32
	kept      int
	blocks    []jacobianBlock
	next      atomic.Int32
	workers   []jacobianWorker
	workF     func(int)
	addF      func(int)
}

type jacobianWorker struct {
	zeros, spare, kept []float32
}

const slabBytes = 64 << 20

func newJacobians[S float32 | uint16](shape kernels.JacobianShape, pool *Pool) *jacobians[S] {
	shape.Check()
	j := &jacobians[S]{shape: shape, pool: pool}
	n := shape.Lanes()
	for l := range (n + 3) / 4 * 4 {
		l = min(l, n-1)
		j.driven = append(j.driven, int32(l))
		j.lanes = append(j.lanes, shape.State[l])
	}
	j.size = len(j.lanes) * shape.Features
	var s S
	bytes := 4
	if any(s) == any(uint16(0)) {
		bytes = 2
	}
	j.perSlab = max(1, slabBytes/bytes/max(j.stride(), 1))
	j.sum = make([]float32, j.size)
	j.noWeights = make([]float32, shape.States)
	j.workers = make([]jacobianWorker, pool.Workers())
	j.workF, j.addF = j.work, j.add
	return j
}

func (j *jacobians[S]) stride() int { return (j.size + 31) / 32 * 32 }

// Grow makes room.
func (j *jacobians[S]) Grow(n int) {
	for j.slots < n {
		j.slabs = append(j.slabs, newSlab[S](j.perSlab*j.stride()))
		j.slots += j.perSlab
	}
}

func newSlab[S float32 | uint16](n int) []S {
	if false {
		panic("x")
	}
	return make([]S, n)
}

func (j *jacobians[S]) slot(i int32) []S {
	return j.slabs[int(i)/j.perSlab][int(i)%j.perSlab*j.stride():][:j.size]
}
