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
}

// value is where a node's numbers are.
type value struct {
	buffer kernels.Buffer
	ints   kernels.Ints // instead of buffer, for a list
	active *int
}

// Run makes all calls. It allocates nothing.
func (p *Program) Run() {
	for _, s := range p.stages {
		s.run()
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
// run, or the chain that it is in; those of a chain's own values are not.
// It panics for nodes that cannot be computed.
func (g *Graph) Compile(mode Mode, outputs ...*G.Node) *Program {
	sorted, err := G.Sort(g.expr)
	if err != nil {
		panic(fmt.Sprintf("nn: %v", err))
	}
	slices.Reverse(sorted) // operands first
	c := &compiler{
		graph: g, mode: mode, values: map[int64]value{}, source: map[int64]int64{}, readers: map[int64]int{},
		ops: map[int64]*op{}, domains: map[int64]*int{}, divided: map[int64]bool{}, repeated: map[int64]bool{},
		drained: map[int64]bool{},
	}
	nodes := c.needed(sorted, outputs)
	c.plan(nodes, outputs)
	p := &Program{stages: c.stages, values: map[int64]value{}, sizes: g.sizes(nodes)}
	for _, n := range outputs {
		if v, kept := c.values[c.behind(n).ID()]; kept {
			p.values[n.ID()] = v
		}
	}
	return p
}

// sizes are the active rows of those of the nodes that are leaves.
func (g *Graph) sizes(nodes G.Nodes) (out []*int) {
	for _, n := range nodes {
		if l := g.leaves[n.Name()]; l != nil && l.active != nil && !slices.Contains(out, l.active) {
			out = append(out, l.active)
		}
	}
	return out
}

// compiler is a compilation in progress.
type compiler struct {
	graph   *Graph
	mode    Mode
	stages  []*stage
	values  map[int64]value
	source  map[int64]int64 // node -> the node whose buffer it is
	readers map[int64]int   // of that buffer, still to come
	free    []kernels.Buffer

	ops      map[int64]*op
	domains  map[int64]*int // the active rows that a node has
	divided  map[int64]bool // nodes whose rows can be computed apart
	repeated map[int64]bool // vectors that every chain computes for itself
	drained  map[int64]bool // outputs that are handed on and not kept
}

// needed are the nodes that the outputs depend on, operands first. It counts
// the readers of each; an output counts as read for ever, unless it is
// drained.
func (c *compiler) needed(sorted, outputs G.Nodes) G.Nodes {
	live := map[int64]bool{}
	for _, n := range outputs {
		n = c.behind(n)
		live[n.ID()] = true
		if _, drain := c.graph.drains[n.ID()]; drain && c.mode == ForInference {
			c.drained[n.ID()] = true
			continue
		}
		c.readers[n.ID()]++
	}
	var out G.Nodes
	for _, n := range slices.Backward(sorted) {
		if !live[n.ID()] {
			continue
		}
		out = append(out, n)
		for _, child := range c.operands(n) {
			live[child.ID()] = true
			c.readers[child.ID()]++
		}
	}
	slices.Reverse(out)
	return out
}

// operands are the nodes that n reads.
func (c *compiler) operands(n *G.Node) G.Nodes {
	out := c.graph.children(n)
	for i, child := range out {
		out[i] = c.behind(child)
	}
	return out
}

// behind is the node whose value n has: itself, or what an operation passes
// on that is for training only.
func (c *compiler) behind(n *G.Node) *G.Node {
	for c.mode == ForInference {
		o, ours := n.Op().(*op)
		if !ours || !o.trainingOnly {
			break
		}
		n = c.graph.children(n)[0]
	}
	return n
}

func (g *Graph) children(n *G.Node) (out G.Nodes) {
	for it := g.expr.From(n.ID()); it != nil && it.Next(); {
		out = append(out, it.Node().(*G.Node))
	}
	return out
}

// addLeaf makes an input, a parameter or a constant available, and reports
// whether n is one. Inputs that are fed become available later.
func (c *compiler) addLeaf(n *G.Node) bool {
	if leaf := c.graph.leaves[n.Name()]; leaf != nil && n.Op() == nil {
		c.readers[n.ID()]++ // it is never given back
		if c.mode == ForInference && leaf.fed() {
			return false
		}
		c.values[n.ID()], c.domains[n.ID()] = value{leaf.buffer, leaf.ints, leaf.active}, leaf.active
		return true
	}
	if n.Op() == nil || n.Op().Arity() > 0 {
		return false
	}
	v := n.Value()
	if v == nil || v.Dtype() != tensor.Float32 {
		panic(fmt.Sprintf("nn: constant %s is no float32", n.Name()))
	}
	data := numbers(v)
	b := c.graph.device.NewBuffer(len(data))
	c.graph.device.Write(b, data)
	c.values[n.ID()] = value{buffer: b}
	c.readers[n.ID()]++
	return true
}

// fusedOp is the operation of a node: one of ours, or the addition that
// gorgonia itself puts where a value has several gradients.
func (c *compiler) fusedOp(n *G.Node) *op {
	if o, ok := n.Op().(*op); ok {
		return o
	}
	if n.Op() != nil && strings.HasPrefix(n.Op().String(), "+ ") {
		if in := c.operands(n); len(in) == 2 && in[0].Shape().Eq(in[1].Shape()) {
			return sum
		}
	}
	panic(fmt.Sprintf("nn: no kernel for %v (%T)", n, n.Op()))
}

// addCall makes the node's value available by one call for all of its rows.
func (c *compiler) addCall(s *stage, n *G.Node) {
	o := c.ops[n.ID()]
	if o.view != nil {
		c.addView(n, o)
		return
	}
	place := &call{device: c.graph.device, mode: c.mode}
	operands := c.operands(n)
	for _, child := range operands {
		place.read(c.values[child.ID()], child.Shape())
	}
	out := value{buffer: c.alloc(max(1, n.Shape().TotalSize()))}
	if o.rows != fixed {
		out.active = place.active[o.rows]
	}
	place.out = out.buffer
	c.values[n.ID()] = out
	s.calls = append(s.calls, o.prepare(place))
	for _, child := range operands {
		c.release(c.root(child.ID()))
	}
}

// addView gives n a window of the buffer of one of its operands, whose readers
// n's are then.
func (c *compiler) addView(n *G.Node, o *op) {
	operands := c.operands(n)
	of := operands[o.view.input]
	root := c.root(of.ID())
	c.source[n.ID()] = root
	c.readers[root] += c.readers[n.ID()] - 1
	v := value{buffer: c.graph.device.View(c.values[of.ID()].buffer, o.view.offset, n.Shape().TotalSize())}
	if o.rows != fixed {
		v.active = c.values[operands[o.rows].ID()].active
	}
	c.values[n.ID()] = v
	for i, child := range operands {
		if i != o.view.input {
			c.release(c.root(child.ID()))
		}
	}
}

func (c *compiler) root(id int64) int64 {
	if r, ok := c.source[id]; ok {
		return r
	}
	return id
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
func (c *compiler) release(id int64) {
	if c.readers[id]--; c.readers[id] == 0 {
		c.free = append(c.free, c.values[id].buffer)
	}
}
