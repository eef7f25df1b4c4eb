package nn

import (
	"fmt"
	"slices"

	"dgsbench/kernels"

	G "gorgonia.org/gorgonia"
)

// A program for training is one stage of calls, each of which divides its own
// work over the device's threads where that is worth it. In inference most
// operations can compute rows apart from each other, and chains of them are
// divided as a whole: each thread takes blocks of rows through all of a
// chain's operations, and waits for the others once.

// plan makes the stages of the nodes, operands first.
func (c *compiler) plan(nodes, outputs G.Nodes) {
	var left G.Nodes
	for _, n := range nodes {
		if !c.addLeaf(n) {
			c.place(n)
			left = append(left, n)
		}
	}
	left = c.leaveToChains(left, outputs)
	for len(left) > 0 {
		s := &stage{device: c.graph.device}
		s.work = s.runThread
		c.stages = append(c.stages, s)
		left = c.addWhole(s, left)
		left = c.addDivided(s, left)
	}
}

// place finds the operation of the node, which active rows it has, and
// whether they can be computed apart.
func (c *compiler) place(n *G.Node) {
	if leaf := c.graph.leaves[n.Name()]; leaf != nil && n.Op() == nil {
		c.domains[n.ID()], c.divided[n.ID()] = leaf.active, true // it is fed
		return
	}
	o := c.fusedOp(n)
	c.ops[n.ID()] = o
	var active []*int
	for _, child := range c.operands(n) {
		active = append(active, c.domains[child.ID()])
	}
	o.checkRows(active)
	if o.rows != fixed {
		c.domains[n.ID()] = active[o.rows]
	}
	if rows := o.dividedBy(active); rows != nil && c.mode == ForInference {
		c.domains[n.ID()], c.divided[n.ID()] = rows, true
	}
	if c.drained[n.ID()] && !c.divided[n.ID()] {
		panic(fmt.Sprintf("nn: %s: its rows cannot be handed on, because they are not computed apart from each other", o.name))
	}
}

// dividedBy is the active rows by which the operation can be divided, or nil.
func (o *op) dividedBy(active []*int) (rows *int) {
	for i, apart := range o.apart {
		switch {
		case !apart:
		case active[i] == nil, rows != nil && rows != active[i]:
			return nil
		default:
			rows = active[i]
		}
	}
	return rows
}

// leaveToChains finds vectors that depend on parameters alone, such as the
// sigmoid of one, and returns the other nodes. Such a vector is a call that
// is cheap except on devices with expensive calls. There every chain
// that reads it computes it for itself. What is an output, or read outside of
// chains, is none of them.
func (c *compiler) leaveToChains(nodes, outputs G.Nodes) (left G.Nodes) {
	if _, ok := c.graph.device.(kernels.Fuser); !ok || c.mode != ForInference {
		return nodes
	}
	wanted := map[int64]bool{}
	for _, n := range outputs {
		wanted[c.behind(n).ID()] = true
	}
	for _, n := range nodes {
		for _, child := range c.operands(n) {
			wanted[child.ID()] = wanted[child.ID()] || !c.divided[n.ID()]
		}
	}
	for _, n := range nodes {
		if !wanted[n.ID()] && n.Dims() == 1 && c.domains[n.ID()] == nil && c.ofParameters(n) {
			c.repeated[n.ID()] = true
		} else {
			left = append(left, n)
		}
	}
	return left
}

// ofParameters reports whether n is a call of a chain on parameters.
func (c *compiler) ofParameters(n *G.Node) bool {
	o := c.ops[n.ID()]
	return o != nil && o.view == nil && o.apart != nil && !c.divided[n.ID()] && c.ready(n, nil)
}

// addWhole adds the calls that are not divided and whose operands are there.
// It returns the nodes that are left.
func (c *compiler) addWhole(s *stage, nodes G.Nodes) (left G.Nodes) {
	for _, n := range nodes {
		if !c.divided[n.ID()] && c.ready(n, nil) {
			c.addCall(s, n)
		} else {
			left = append(left, n)
		}
	}
	return left
}

// addDivided adds the chains whose operands are there or in the chain
// itself. Those of different active rows do not read each other. It returns
// the nodes that are left.
func (c *compiler) addDivided(s *stage, nodes G.Nodes) (left G.Nodes) {
	var chains []*chain
	for _, n := range nodes {
		rows := c.domains[n.ID()]
		at := slices.IndexFunc(chains, func(h *chain) bool { return h.rows == rows })
		if at < 0 {
			chains, at = append(chains, &chain{compiler: c, rows: rows, in: map[int64]bool{}}), len(chains)
		}
		if h := chains[at]; c.divided[n.ID()] && c.ready(n, h) {
			h.nodes = append(h.nodes, n)
			h.in[n.ID()] = true
		} else {
			left = append(left, n)
		}
	}
	for _, h := range chains {
		left = h.deferLists(left)
	}
	for _, h := range chains {
		if len(h.nodes) > 0 {
			s.sections = append(s.sections, h.compile())
		}
	}
	for _, h := range chains {
		h.finish() // not before: what one gives back, others may still read
	}
	return left
}

// deferLists leaves lists that are fed to those chains that read them: nodes
// that are left, and not ready yet. It returns what is left now.
func (h *chain) deferLists(left G.Nodes) G.Nodes {
	here, later := h.readBy(h.nodes), h.readBy(left)
	var now, then G.Nodes
	for _, n := range h.nodes {
		leaf := h.graph.leaves[n.Name()]
		if list := h.ops[n.ID()] == nil && leaf.list != nil; list && !here[n.ID()] && later[n.ID()] {
			then = append(then, n)
			delete(h.in, n.ID())
		} else {
			now = append(now, n)
		}
	}
	h.nodes = now
	return append(then, left...)
}

// readBy has the nodes that others read.
func (c *compiler) readBy(others G.Nodes) map[int64]bool {
	read := map[int64]bool{}
	for _, n := range others {
		for _, child := range c.operands(n) {
			read[child.ID()] = true
		}
	}
	return read
}

// ready reports whether the operands of n are there, or in the chain row by
// row.
func (c *compiler) ready(n *G.Node, h *chain) bool {
	for i, child := range c.operands(n) {
		_, there := c.values[child.ID()]
		there = there || c.repeated[child.ID()]
		if !there && (h == nil || !h.in[child.ID()] || !c.ops[n.ID()].apart[i]) {
			return false
		}
	}
	return true
}
