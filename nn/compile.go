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
	calls  []func()
	values map[int64]value // of the nodes asked for
}

// value is where a node's numbers are.
type value struct {
	buffer kernels.Buffer
	ints   kernels.Ints // instead of buffer, for a list
	active *int
}

// Run makes all calls. It allocates nothing.
func (p *Program) Run() {
	for _, call := range p.calls {
		call()
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
// the order of gorgonia's sort. Buffers of intermediate values are used
// again once their last reader has run.
func (g *Graph) Compile(mode Mode, outputs ...*G.Node) (*Program, error) {
	sorted, err := G.Sort(g.expr)
	if err != nil {
		return nil, err
	}
	slices.Reverse(sorted) // operands first
	c := &compiler{graph: g, mode: mode, values: map[int64]value{}, source: map[int64]int64{}, readers: map[int64]int{}}
	needed := c.needed(sorted, outputs)
	for _, n := range needed {
		if err := c.add(n); err != nil {
			return nil, err
		}
	}
	p := &Program{calls: c.calls, values: map[int64]value{}}
	for _, n := range outputs {
		p.values[n.ID()] = c.values[n.ID()]
	}
	return p, nil
}

// compiler is a compilation in progress.
type compiler struct {
	graph   *Graph
	mode    Mode
	calls   []func()
	values  map[int64]value
	source  map[int64]int64 // node -> the node whose buffer it is
	readers map[int64]int   // of that buffer, still to come
	free    []kernels.Buffer
}

// needed are the nodes that the outputs depend on, operands first. It counts
// the readers of each; an output counts as read for ever.
func (c *compiler) needed(sorted, outputs G.Nodes) G.Nodes {
	live := map[int64]bool{}
	for _, n := range outputs {
		live[n.ID()] = true
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
	var out G.Nodes
	it := c.graph.expr.From(n.ID())
	for it != nil && it.Next() {
		out = append(out, it.Node().(*G.Node))
	}
	if c.skips(n) {
		out = out[:1]
	}
	return out
}

// skips reports whether the node only passes its first operand on.
func (c *compiler) skips(n *G.Node) bool {
	o, ours := n.Op().(*op)
	return ours && o.trainingOnly && c.mode == ForInference
}

// add makes the node's value available.
func (c *compiler) add(n *G.Node) error {
	if leaf := c.graph.leaves[n.Name()]; leaf != nil && n.Op() == nil {
		c.values[n.ID()] = value(*leaf)
		c.readers[n.ID()]++ // it is never given back
		return nil
	}
	if n.Op() != nil && n.Op().Arity() == 0 {
		return c.addConstant(n)
	}
	if c.skips(n) {
		c.addAlias(n, c.operands(n)[0])
		return nil
	}
	o, err := c.fusedOp(n)
	switch {
	case err != nil:
		return err
	case o.inTraining && c.mode == ForInference:
		return fmt.Errorf("%s: a program for inference cannot compute it", o.name)
	case o.view != nil:
		c.addView(n, o)
		return nil
	}
	return c.addCall(n, o)
}

func (c *compiler) addConstant(n *G.Node) error {
	v := n.Value()
	if v == nil || v.Dtype() != tensor.Float32 {
		return fmt.Errorf("constant %s is no float32", n.Name())
	}
	data := numbers(v)
	b := c.graph.device.NewBuffer(len(data))
	c.graph.device.Write(b, data)
	c.values[n.ID()] = value{buffer: b}
	c.readers[n.ID()]++
	return nil
}

// addCall allocates the output, prepares the call and gives back the buffers
// that nobody reads any more.
func (c *compiler) addCall(n *G.Node, o *op) error {
	place := &call{device: c.graph.device, mode: c.mode}
	operands := c.operands(n)
	for _, child := range operands {
		v := c.values[child.ID()]
		place.in, place.ints = append(place.in, v.buffer), append(place.ints, v.ints)
		place.active = append(place.active, v.active)
		place.shapes = append(place.shapes, child.Shape())
	}
	if err := o.sameRows(place.active); err != nil {
		return err
	}
	out := value{buffer: c.alloc(max(1, n.Shape().TotalSize()))}
	if o.rows != fixed {
		out.active = place.active[o.rows]
	}
	place.out = out.buffer
	c.values[n.ID()] = out
	c.calls = append(c.calls, o.call(place))
	for _, child := range operands {
		c.release(c.root(child.ID()))
	}
	return nil
}

// fusedOp is the operation of a node: one of ours, or the addition that
// gorgonia itself puts where a value has several gradients.
func (c *compiler) fusedOp(n *G.Node) (*op, error) {
	if o, ok := n.Op().(*op); ok {
		return o, nil
	}
	if n.Op() != nil && strings.HasPrefix(n.Op().String(), "+ ") {
		if in := c.operands(n); len(in) == 2 && in[0].Shape().Eq(in[1].Shape()) {
			return sum, nil
		}
	}
	return nil, fmt.Errorf("no kernel for %v (%T)", n, n.Op())
}
