package nn

import (
	"fmt"
	"slices"
	"strings"

	"dgsbench/kernels"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Mode is what a program is for.
type Mode int

// Programs for training apply dropout, those for inference do not.
const (
	ForTraining Mode = iota
	ForInference
)

// Program is a graph as a list of kernel calls over buffers that were
// allocated once.
type Program struct {
	stages []*stage
	values map[int64]value // of the nodes asked for
	sizes  []*int          // active rows of the inputs that it reads
	leaves []*leaf         // that it reads
}

// value is where a node's numbers are.
type value struct {
	buffer kernels.Buffer
	ints   kernels.Ints // instead of buffer, for a list
	active *int         // rows; nil where all count
}

// Run makes all calls. It allocates nothing.
func (p *Program) Run() {
	for _, s := range p.stages {
		s.run()
	}
}

// write writes the active rows of the leaves that the host feeds.
func (p *Program) write() {
	for _, l := range p.leaves {
		if l.write != nil && *l.active > 0 {
			l.write()
		}
	}
}

// Buffer is where the value of an output is. It panics for a node that
// Compile was not asked for.
func (p *Program) Buffer(n *G.Node) kernels.Buffer {
	v, ok := p.values[n.ID()]
	if !ok {
		panic("nn: the program does not compute " + n.Name())
	}
	return v.buffer
}

// Compile makes the program that computes the outputs, and nothing else, in
// the order of gorgonia's sort; programs for inference in the order of plan.
// Buffers of intermediate values are used again once their last reader has
// run, or the chain that it is in; those of a chain's own values are not. Sums and
// dropout are written over what nobody reads later.
// It panics for nodes that cannot be computed.
func (g *Graph) Compile(mode Mode, outputs ...*G.Node) *Program {
	c := &compiler{graph: g, mode: mode, steps: map[int64]*step{}}
	steps := c.needed(outputs)
	c.plan(steps)
	p := &Program{stages: c.stages, values: map[int64]value{}}
	for _, s := range steps {
		if s.leaf != nil {
			p.leaves = append(p.leaves, s.leaf)
		}
		if s.leaf != nil && s.active != nil && !slices.Contains(p.sizes, s.active) {
			p.sizes = append(p.sizes, s.active)
		}
	}
	for _, n := range outputs {
		if s := c.step(n); s.known {
			p.values[n.ID()] = s.value
		}
	}
	return p
}

// compiler is a compilation in progress.
type compiler struct {
	graph  *Graph
	mode   Mode
	stages []*stage
	steps  map[int64]*step // by the node
	free   []kernels.Buffer
}

// step is a node that the outputs depend on.
type step struct {
	*G.Node
	operands []*step
	leaf     *leaf // or nil
	op       *op   // nil for leaves and constants
	value
	known   bool  // all rows are in value, when what follows runs
	source  *step // whose buffer it is: itself, unless it is a view
	readers int   // of that buffer, still to come

	output   bool
	drained  bool // an output that is handed on and not kept
	divided  bool // its rows can be computed apart
	repeated bool // a vector that every chain computes for itself
	chain    *chain
	shared   bool // computed in a chain, and read by others, too
}

// needed are the nodes that the outputs depend on, operands first. It counts
// the readers of each; an output counts as read for ever, unless it is
// drained.
func (c *compiler) needed(outputs G.Nodes) (steps []*step) {
	sorted, err := G.Sort(c.graph.expr) // readers first
	if err != nil {
		panic(fmt.Sprintf("nn: %v", err))
	}
	for _, n := range outputs {
		s := c.step(n)
		_, drain := c.graph.drains[s.ID()]
		s.output, s.drained = true, drain && c.mode == ForInference
		if !s.drained {
			s.readers++
		}
	}
	for _, n := range sorted {
		s := c.steps[n.ID()]
		if s == nil {
			continue
		}
		for _, child := range children(n) {
			operand := c.step(child)
			operand.readers++
			s.operands = append(s.operands, operand)
		}
		steps = append(steps, s)
	}
	slices.Reverse(steps)
	return steps
}

// step is that of the node whose value n has: itself, or what an operation
// passes on in this mode.
func (c *compiler) step(n *G.Node) *step {
	for {
		o, ours := n.Op().(*op)
		if ours && o.trainingOnly && c.mode == ForInference {
			n = children(n)[0]
		} else if ours && o.choice && c.mode == ForTraining {
			n = children(n)[1]
		} else {
			break
		}
	}
	if c.steps[n.ID()] == nil {
		s := &step{Node: n}
		s.source = s
		c.steps[n.ID()] = s
	}
	return c.steps[n.ID()]
}

// children are the inputs of a node, in order.
func children(n *G.Node) (out G.Nodes) {
	for it := n.Graph().From(n.ID()); it != nil && it.Next(); {
		out = append(out, it.Node().(*G.Node))
	}
	return out
}

// addLeaf makes an input or a parameter available. Inputs that are fed become
// available later.
func (c *compiler) addLeaf(s *step, l *leaf) {
	s.readers++ // it is never given back
	s.leaf, s.value = l, value{l.buffer, l.ints, l.active}
	s.divided = c.mode == ForInference && l.fed()
	s.known = !s.divided
}

// addConstant makes a constant available.
func (c *compiler) addConstant(s *step) {
	v := s.Value()
	if v == nil || v.Dtype() != tensor.Float32 {
		panic(fmt.Sprintf("nn: constant %s is no float32", s.Name()))
	}
	data := numbers(v)
	s.readers++
	s.buffer, s.known = c.graph.device.NewBuffer(len(data)), true
	c.graph.device.Write(s.buffer, data)
}

// fusedOp is the operation of a node: one of ours, or the addition that
// gorgonia itself puts where a value has several gradients.
func (s *step) fusedOp() *op {
	if o, ok := s.Op().(*op); ok {
		return o
	}
	if s.Op() != nil && strings.HasPrefix(s.Op().String(), "+ ") {
		if in := s.operands; len(in) == 2 && in[0].Shape().Eq(in[1].Shape()) {
			return sum
		}
	}
	panic(fmt.Sprintf("nn: no kernel for %v (%T)", s.Node, s.Op()))
}

// addCall makes the value available by one call for all of its rows.
func (c *compiler) addCall(to *stage, s *step) {
	s.known = true
	if s.op.view != nil {
		c.addView(s)
		return
	}
	place := s.on(c.graph.device, c.mode, func(i int) operand { return s.operands[i].whole() })
	if first := s.operands[0]; s.op.inPlace && first.source == first && first.readers == 1 { // nobody reads it later
		s.buffer = first.buffer
		first.readers++ // s, which will give the buffer back
	} else {
		s.buffer = c.alloc(max(1, s.Shape().TotalSize()))
	}
	to.calls = append(to.calls, place.to(s.buffer))
	for _, operand := range s.operands {
		c.release(operand)
	}
}

// on is the place of an operation that reads some rows of each operand.
func (s *step) on(d kernels.Device, mode Mode, rows func(i int) operand) *call {
	in := make([]operand, len(s.operands))
	for i := range in {
		in[i] = rows(i)
	}
	return s.op.on(d, mode, in)
}

// whole is all rows.
func (s *step) whole() operand { return operand{s.value, s.Shape()} }

// addView gives s a window of the buffer of its last operand, whose readers
// are then those of s.
func (c *compiler) addView(s *step) {
	last := len(s.operands) - 1
	packed := s.operands[last]
	s.buffer = c.graph.device.View(packed.buffer, *s.op.view, s.Shape().TotalSize())
	s.source = packed.source
	s.source.readers += s.readers - 1
	for _, operand := range s.operands[:last] {
		c.release(operand)
	}
}

// alloc takes the smallest free buffer that is large enough.
func (c *compiler) alloc(n int) kernels.Buffer {
	best := -1
	for i, b := range c.free {
		if b.Len() >= n && (best < 0 || b.Len() < c.free[best].Len()) {
			best = i
		}
	}
	if best < 0 {
		return c.graph.device.NewBuffer(n)
	}
	b := c.free[best]
	c.free = slices.Delete(c.free, best, best+1)
	return b
}

// release notes that one reader has run.
func (c *compiler) release(s *step) {
	s = s.source
	if s.readers--; s.readers == 0 {
		c.free = append(c.free, s.buffer)
	}
}
