//go:build gpu

package cuda

import (
	"slices"

	"dgsbench/kernels"
	"dgsbench/kernels/cuda/driver"
)

// As in jacobian.cu.
const (
	readsPerRound = 8
	writesAtOnce  = 4
	readWords     = 2
	writeWords    = 4
)

// jacobianPlan is a step as the kernel does it: in rounds, each of which reads
// some Jacobians and writes those whose operands have been read. A copy of what
// was read is stored in a place until its last use. So the closer together those
// are read that are used together, the fewer places are needed.
type jacobianPlan struct {
	reads  []uint64 // as in jacobian.cu
	writes []uint64
	ends   []int32 // of each round's writes
	copies int     // places; the first one has zeros

	step  *kernels.JacobianStep
	shape *kernels.JacobianShape
	slots []driver.Ptr

	firstUse []int32 // of each state as an operand; 0 without one
	nextUse  []int32 // of the same state, after each use; 0 after the last

	order   []int32 // the states that are read
	visited []bool
	stack   []int32
	place   []int32 // of the state's copy; 0 without one
	uses    []int32 // of the copy that are to come
	lacking []int32 // operands of a write that have not been read
	ready   []int32 // writes that lack none
	unused  []int32 // places
}

// prepare plans the step.
func (p *jacobianPlan) prepare(s *kernels.JacobianStep, shape *kernels.JacobianShape, slots []driver.Ptr) {
	p.step, p.shape, p.slots = s, shape, slots
	p.reads, p.writes, p.ends, p.copies = p.reads[:0], p.writes[:0], p.ends[:0], 1
	p.ready, p.unused = p.ready[:0], p.unused[:0]
	p.findUses()
	p.sort()
	for first := 0; first == 0 || first < len(p.order); first += readsPerRound {
		p.round(p.order[first:min(first+readsPerRound, len(p.order))], first+readsPerRound >= len(p.order))
	}
}

// isRead reports whether a state has a Jacobian that is not zero.
func (p *jacobianPlan) isRead(state int32) bool { return p.step.Slots[state] >= 0 }

// findUses lists the uses of each state in order, and counts what writes lack.
func (p *jacobianPlan) findUses() {
	states, writes := len(p.step.Slots), p.step.Writes
	p.firstUse, p.nextUse = zeroed(p.firstUse, states), zeroed(p.nextUse, 2*len(writes)+1)
	p.uses, p.place, p.lacking = zeroed(p.uses, states), zeroed(p.place, states), zeroed(p.lacking, len(writes))
	for i, w := range slices.Backward(writes) {
		for k, state := range []int32{w.Other, w.Self} {
			use := int32(2*i + 2 - k) // as in writeOf
			p.nextUse[use], p.firstUse[state] = p.firstUse[state], use
			if p.isRead(state) {
				p.uses[state]++
				p.lacking[i]++
			}
		}
	}
	for i, n := range p.lacking {
		if n == 0 {
			p.ready = append(p.ready, int32(i))
		}
	}
}

// writeOf is the write of a use: 2i+1 is write i's use of Self, 2i+2 that of Other.
func writeOf(use int32) int32 { return (use - 1) / 2 }

// sort puts states that are used together next to each other, by a depth-first
// search along the writes. States that no write uses come last.
func (p *jacobianPlan) sort() {
	p.order, p.visited = p.order[:0], zeroed(p.visited, len(p.step.Slots))
	for _, w := range p.step.Writes {
		p.stack = append(p.stack, w.Self)
		for len(p.stack) > 0 {
			state := p.stack[len(p.stack)-1]
			p.stack = p.stack[:len(p.stack)-1]
			if p.visited[state] {
				continue
			}
			p.visited[state] = true
			if p.isRead(state) {
				p.order = append(p.order, state)
			}
			for use := p.firstUse[state]; use > 0; use = p.nextUse[use] {
				other := &p.step.Writes[writeOf(use)]
				p.stack = append(p.stack, other.Self, other.Other)
			}
		}
	}
	if p.step.Weights == nil {
		return
	}
	for state := range int32(len(p.step.Slots)) {
		if !p.visited[state] && p.isRead(state) {
			p.order = append(p.order, state)
		}
	}
}

// round reads states, and writes what they complete. Writes that the kernel
// would have to do one by one are left to the next round.
func (p *jacobianPlan) round(states []int32, last bool) {
	for _, state := range states {
		p.read(state)
	}
	for _, state := range states {
		for use := p.firstUse[state]; use > 0; use = p.nextUse[use] {
			i := writeOf(use)
			if p.lacking[i]--; p.lacking[i] == 0 {
				p.ready = append(p.ready, i)
			}
		}
	}
	n := len(p.ready)
	if !last {
		n -= n % writesAtOnce
	}
	for _, i := range p.ready[:n] {
		p.write(i)
	}
	p.ready = append(p.ready[:0], p.ready[n:]...)
	p.ends = append(p.ends, int32(len(p.writes)/writeWords))
}

func (p *jacobianPlan) read(state int32) {
	if n := len(p.unused); p.uses[state] > 0 && n > 0 {
		p.place[state], p.unused = p.unused[n-1], p.unused[:n-1]
	} else if p.uses[state] > 0 {
		p.place[state] = int32(p.copies)
		p.copies++
	}
	slot := p.slots[p.step.Slots[state]]
	p.reads = append(p.reads, uint64(slot), pair(p.place[state], state*int32(p.shape.States)))
}

func (p *jacobianPlan) write(i int32) {
	w := &p.step.Writes[i]
	factors := int32(0)
	if p.step.PerWrite {
		factors = i * int32(p.shape.States)
	}
	p.writes = append(p.writes, uint64(p.slots[w.Slot]), pair(p.place[w.Self], p.place[w.Other]),
		pair(factors, i*int32(p.shape.Lanes())), pair(w.Row*int32(p.shape.Features), 0))
	for _, state := range []int32{w.Self, w.Other} {
		if p.uses[state]--; p.uses[state] == 0 {
			p.unused = append(p.unused, p.place[state])
		}
	}
}

// pair is two ints side by side.
func pair(first, second int32) uint64 { return uint64(uint32(first)) | uint64(uint32(second))<<32 }

// zeroed is x with n zeros.
func zeroed[T bool | int32](x []T, n int) []T {
	x = slices.Grow(x[:0], n)[:n]
	clear(x)
	return x
}
