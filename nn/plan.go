package nn

import (
	"fmt"
	"slices"

	"dgsbench/kernels"
)

// A program for training is one stage of calls, each of which divides its own
// work over the device's threads where that is worth it. In inference most
// operations can compute rows apart from each other, and chains of them are
// divided as a whole: each thread takes blocks of rows through all of a
// chain's operations, and waits for the others once.

// plan makes the stages of the steps, operands first.
func (c *compiler) plan(steps []*step) {
	var left []*step
	for _, s := range steps {
		c.place(s)
		if !s.known && !s.fedList() {
			left = append(left, s)
		}
	}
	left = c.leaveToChains(left)
	for len(left) > 0 {
		to := &stage{device: c.graph.device}
		to.work = to.runThread
		c.stages = append(c.stages, to)
		left = c.addWhole(to, left)
		left = c.addDivided(to, left)
	}
}

// place makes a leaf or a constant available. Of an operation it finds which
// active rows it has, and whether they can be computed apart.
func (c *compiler) place(s *step) {
	if leaf := c.graph.leaves[s.Name()]; leaf != nil && s.Op() == nil {
		c.addLeaf(s, leaf)
		return
	}
	if s.Op() != nil && s.Op().Arity() == 0 {
		c.addConstant(s)
		return
	}
	s.op = s.fusedOp()
	active := make([]*int, len(s.operands))
	for i, operand := range s.operands {
		active[i] = operand.active
	}
	s.active = s.op.rows(active)
	if rows := s.op.dividedBy(active); rows != nil && c.mode == ForInference {
		s.active, s.divided = rows, true
	}
	if s.drained && !s.divided {
		panic(fmt.Sprintf("nn: %s: its rows cannot be handed on, because they are not computed apart from each other", s.op.name))
	}
	if i := slices.IndexFunc(s.operands, (*step).fedList); i >= 0 && !s.divided {
		panic(fmt.Sprintf("nn: %s reads the list %s, which is fed, but its rows are not computed apart from each other", s.op.name, s.operands[i].Name()))
	}
}

// fedList reports whether s is a list that every chain fetches for itself.
func (s *step) fedList() bool { return s.leaf != nil && s.divided && s.ints != nil }

// leaveToChains finds vectors that depend on parameters alone, such as the
// sigmoid of one, and returns the other steps. Such a vector is a call that
// is cheap except on devices with expensive calls. There every chain
// that reads it computes it for itself. What is an output, or read outside of
// chains, is none of them.
func (c *compiler) leaveToChains(steps []*step) (left []*step) {
	if _, ok := c.graph.device.(kernels.Fuser); !ok || c.mode != ForInference {
		return steps
	}
	outside := map[*step]bool{}
	for _, s := range steps {
		for _, operand := range s.operands {
			outside[operand] = outside[operand] || !s.divided
		}
	}
	for _, s := range steps {
		ofParameters := s.op != nil && s.op.view == nil && s.op.apart && !s.divided && s.ready(nil)
		if ofParameters && s.Dims() == 1 && s.active == nil && !s.output && !outside[s] {
			s.repeated = true
		} else {
			left = append(left, s)
		}
	}
	return left
}

// addWhole adds the calls that are not divided and whose operands are known.
// It returns the steps that are left.
func (c *compiler) addWhole(to *stage, steps []*step) (left []*step) {
	for _, s := range steps {
		if !s.divided && s.ready(nil) {
			c.addCall(to, s)
		} else {
			left = append(left, s)
		}
	}
	return left
}

// addDivided adds the chains whose operands are known or in the chain
// itself. Those of different active rows do not read each other. It returns
// the steps that are left.
func (c *compiler) addDivided(to *stage, steps []*step) (left []*step) {
	var chains []*chain
	for _, s := range steps {
		at := slices.IndexFunc(chains, func(h *chain) bool { return h.rows == s.active })
		if at < 0 {
			chains, at = append(chains, &chain{compiler: c, rows: s.active}), len(chains)
		}
		if h := chains[at]; s.divided && s.ready(h) {
			h.steps = append(h.steps, s)
			s.chain = h
		} else {
			left = append(left, s)
		}
	}
	for _, h := range chains {
		if len(h.steps) > 0 {
			to.sections = append(to.sections, h.compile())
		}
	}
	for _, h := range chains {
		h.finish() // not before: what one gives back, others may still read
	}
	return left
}

// ready reports whether the operands of s are known, or in the chain row by
// row.
func (s *step) ready(h *chain) bool {
	for i, operand := range s.operands {
		inChain := h != nil && s.op.perRow(i) && (operand.chain == h || operand.fedList())
		if !operand.known && !operand.repeated && !inChain {
			return false
		}
	}
	return true
}
