package nn

import (
	"dgsbench/kernels"

	G "gorgonia.org/gorgonia"
)

// A vector that depends on parameters alone, such as the sigmoid of one, is a
// call that costs nothing, but on a device where calls themselves cost. There
// every chain that reads such a vector computes it for itself.

// leaveOut finds these vectors among the nodes, and returns the others. What
// is an output, or read outside of chains, is none of them.
func (c *compiler) leaveOut(nodes, outputs G.Nodes) (left G.Nodes) {
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
		if !wanted[n.ID()] && n.Dims() == 1 && c.domains[n.ID()] == nil && c.cheap(n) {
			c.again[n.ID()] = true
		} else {
			left = append(left, n)
		}
	}
	return left
}

// cheap reports whether n is a call of a chain on parameters.
func (c *compiler) cheap(n *G.Node) bool {
	o := c.ops[n.ID()]
	return o != nil && o.call != nil && o.apart != nil && !c.divided[n.ID()] && c.ready(n, nil)
}

// vector computes one of them for the block.
func (b *cut) vector(n *G.Node) operand {
	if there, ok := b.local[n.ID()]; ok {
		return there
	}
	place := &call{device: b.device, mode: b.mode}
	for _, child := range b.operands(n) {
		place.read(b.values[child.ID()], child.Shape())
	}
	out := operand{value{buffer: b.asOne.NewVector(n.Shape().TotalSize())}, n.Shape()}
	place.out = out.buffer
	b.local[n.ID()] = out
	b.calls = append([]func(){b.ops[n.ID()].call(place)}, b.calls...) // before what waits for others
	return out
}
