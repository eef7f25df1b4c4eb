//go:build gpu

package cuda

import (
	"dgsbench/kernels"
	"dgsbench/kernels/cuda/driver"
)

// As in jacobian.cu.
const (
	readsARound  = 8
	writesAtOnce = 4
	readWords    = 2
	writeWords   = 4
)

// jacobianPlan is a step as the kernel does it: in rounds, each of which reads
// some Jacobians and writes what is made of those that were read so far. The
// copy of one that was read takes a place until its last use. So the fewer
// places are needed, the closer those stand that are used together.
type jacobianPlan struct {
	reads  []uint64 // as in jacobian.cu
	writes []uint64
	ends   []int32 // of each round's writes
	kept   int     // places; the first one has zeros

	step  *kernels.JacobianStep
	shape *kernels.JacobianShape
	slots []driver.Ptr

	users  lists   // of each state, the writes that it is an operand of
	order  []int32 // the states that are read
	seen   []bool
	stack  []int32
	place  []int32 // of the state's copy; 0 without one
	left   []int32 // uses of the copy that are to come
	waits  []int32 // operands that a write still lacks
	ready  []int32 // writes that lack none
	unused []int32 // places
}

// prepare plans the step.
func (p *jacobianPlan) prepare(s *kernels.JacobianStep, shape *kernels.JacobianShape, slots []driver.Ptr) {
	p.step, p.shape, p.slots = s, shape, slots
	p.reads, p.writes, p.ends, p.kept = p.reads[:0], p.writes[:0], p.ends[:0], 1
	p.ready, p.unused = p.ready[:0], p.unused[:0]
	p.findUsers()
	p.sort()
	for first := 0; first == 0 || first < len(p.order); first += readsARound {
		p.round(p.order[first:min(first+readsARound, len(p.order))], first+readsARound >= len(p.order))
	}
}

// isRead reports whether a state has a Jacobian that is not zero.
func (p *jacobianPlan) isRead(state int32) bool { return p.step.Slots[state] >= 0 }

// findUsers counts what each state is used for, and what writes wait for.
func (p *jacobianPlan) findUsers() {
	states, writes := len(p.step.Slots), p.step.Writes
	p.users.begin(states)
	for _, w := range writes {
		p.users.count(w.Self)
		p.users.count(w.Other)
	}
	p.users.allot()
	p.left, p.place, p.waits = zeroed(p.left, states), zeroed(p.place, states), zeroed(p.waits, len(writes))
	for i, w := range writes {
		for _, state := range []int32{w.Self, w.Other} {
			p.users.add(state, int32(i))
			if p.isRead(state) {
				p.left[state]++
				p.waits[i]++
			}
		}
		if p.waits[i] == 0 {
			p.ready = append(p.ready, int32(i))
		}
	}
}

// sort puts states one after another that are used together, by going from
// one to the next along the writes. Those that nothing is made of come last.
func (p *jacobianPlan) sort() {
	p.order, p.seen = p.order[:0], zeroed(p.seen, len(p.step.Slots))
	for _, w := range p.step.Writes {
		p.stack = append(p.stack, w.Self)
		for len(p.stack) > 0 {
			state := p.stack[len(p.stack)-1]
			p.stack = p.stack[:len(p.stack)-1]
			if p.seen[state] {
				continue
			}
			p.take(state)
			for _, i := range p.users.of(state) {
				other := &p.step.Writes[i]
				p.stack = append(p.stack, other.Self, other.Other)
			}
		}
	}
	if p.step.Weights == nil {
		return
	}
	for state := range p.step.Slots {
		if !p.seen[state] {
			p.take(int32(state))
		}
	}
}

func (p *jacobianPlan) take(state int32) {
	p.seen[state] = true
	if p.isRead(state) {
		p.order = append(p.order, state)
	}
}

// round reads states, and writes what they complete. Writes that the kernel
// would have to do one by one are put off to the next round.
func (p *jacobianPlan) round(states []int32, last bool) {
	for _, state := range states {
		p.read(state)
	}
	for _, state := range states {
		for _, i := range p.users.of(state) {
			if p.waits[i]--; p.waits[i] == 0 {
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
	if p.left[state] > 0 {
		p.place[state] = p.freePlace()
	}
	slot := p.slots[p.step.Slots[state]]
	p.reads = append(p.reads, uint64(slot), pair(p.place[state], state*int32(p.shape.States)))
}

func (p *jacobianPlan) freePlace() int32 {
	if n := len(p.unused); n > 0 {
		place := p.unused[n-1]
		p.unused = p.unused[:n-1]
		return place
	}
	p.kept++
	return int32(p.kept - 1)
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
		if p.left[state]--; p.left[state] == 0 {
			p.unused = append(p.unused, p.place[state])
		}
	}
}

// pair is two ints side by side.
func pair(first, second int32) uint64 { return uint64(uint32(first)) | uint64(uint32(second))<<32 }
