package nn

import (
	"slices"

	"dgsbench/kernels"

	G "gorgonia.org/gorgonia"
)

// addAlias gives n the buffer of another node, whose readers n's are then.
func (c *compiler) addAlias(n, of *G.Node) {
	root := c.root(of.ID())
	c.source[n.ID()] = root
	c.values[n.ID()] = c.values[of.ID()]
	c.readers[root] += c.readers[n.ID()] - 1
}

// addView gives n a window of the buffer of one of its operands.
func (c *compiler) addView(n *G.Node, o *op) {
	operands := c.operands(n)
	of := operands[o.view.input]
	c.addAlias(n, of)
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
