//go:build gpu

package cuda

import (
	"dgsbench/kernels"
	"dgsbench/kernels/cuda/driver"
)

// jacobianPlan is a step as the kernel wants it.
type jacobianPlan struct {
	list   []uint64 // reads and writes, as in jacobian.cu
	writes int      // where the writes begin
	places []int    // of the touched states' copies; none without one
	kept   int      // number of copies
}

// none is the place of a Jacobian that is zero or that nothing is made of.
const none = -1

// prepare decides which Jacobians are kept for new ones. A state without a slot
// is zero: there is nothing to keep.
func (p *jacobianPlan) prepare(s *kernels.JacobianStep, slots []driver.Ptr) {
	p.list, p.places, p.kept = p.list[:0], p.places[:0], 0
	for range s.Slots {
		p.places = append(p.places, none)
	}
	for _, w := range s.Writes {
		p.keep(s, w.Self)
		p.keep(s, w.Other)
	}
	for i, slot := range s.Slots {
		address := uint64(0)
		if slot >= 0 && (s.Weights != nil || p.places[i] != none) {
			address = uint64(slots[slot])
		}
		p.list = append(p.list, address, uint64(p.places[i]))
	}
	p.writes = len(p.list)
	for _, w := range s.Writes {
		p.list = append(p.list, uint64(slots[w.Slot]), uint64(p.places[w.Self]), uint64(p.places[w.Other]), uint64(w.Row))
	}
}

func (p *jacobianPlan) keep(s *kernels.JacobianStep, state int32) {
	if p.places[state] == none && s.Slots[state] >= 0 {
		p.places[state] = p.kept
		p.kept++
	}
}
