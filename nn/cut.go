package nn

import (
	"dgsbench/kernels"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// cut is a block of a chain's rows in compilation.
type cut struct {
	*chain
	*block
	device  kernels.Device           // of its thread
	scratch map[int64]kernels.Buffer // of its thread, by node
	local   map[int64]operand        // the block's rows of the chain's values
}

// operand is a value as a call reads it.
type operand struct {
	value
	shape tensor.Shape
}

// add makes the rows of a node available.
func (b *cut) add(n *G.Node) {
	o := b.ops[n.ID()]
	switch {
	case o == nil:
		b.addFeed(n)
	case o.view != nil:
		b.addView(n, o)
	default:
		b.addCall(n, o)
	}
	if b.drained[n.ID()] {
		b.calls = append(b.calls, b.graph.drains[n.ID()](b.part(b.local[n.ID()])))
	}
}

// part is the block as feeds and drains see it.
func (b *cut) part(rows operand) Part {
	return Part{Device: b.device, At: rows.buffer, First: b.first, Most: b.size, active: &b.active}
}

// joinCalls makes one call of them all, where the device can.
func (b *cut) joinCalls() {
	if d, ok := b.device.(kernels.Fuser); ok {
		b.asOne = d.Fuse(b.size)
		b.device = b.asOne
	}
}

// addFeed fills the rows of an input.
func (b *cut) addFeed(n *G.Node) {
	if list := b.graph.leaves[n.Name()].list; list != nil {
		b.addList(n, list)
		return
	}
	var to operand
	if result, ok := b.results[n.ID()]; ok {
		to = b.rowsOf(result, n.Shape())
	} else {
		to = b.scratchOf(n, tensor.Shape{b.size, n.Shape()[1]})
	}
	b.local[n.ID()] = to
	b.calls = append(b.calls, b.graph.leaves[n.Name()].feed(b.part(to)))
}

// addList fills the rows of a list.
func (b *cut) addList(n *G.Node, host func() []int32) {
	to := b.device.NewInts(b.size)
	b.local[n.ID()] = operand{value{ints: to, active: &b.active}, tensor.Shape{b.size}}
	b.calls = append(b.calls, func() { b.device.WriteInts(to, host()[b.first:][:b.active]) })
}

func (b *cut) addCall(n *G.Node, o *op) {
	place := &call{device: b.device, mode: b.mode}
	for i, child := range b.operands(n) {
		in, ok := b.local[child.ID()]
		switch {
		case ok:
		case b.again[child.ID()]:
			in = b.vector(child)
		default:
			in = operand{b.values[child.ID()], child.Shape()}
			if o.apart[i] {
				in = b.rowsOf(in.value, in.shape)
			}
		}
		place.read(in.value, in.shape)
	}
	var out operand
	if result, ok := b.results[n.ID()]; ok {
		out = b.rowsOf(result, n.Shape())
	} else {
		out = b.scratchFor(n, o, place.shapes)
	}
	place.out = out.buffer
	b.local[n.ID()] = out
	b.calls = append(b.calls, o.call(place))
}

// scratchFor is a buffer that only the block reads. The first block of a
// thread has as many rows as any.
func (b *cut) scratchFor(n *G.Node, o *op, in []tensor.Shape) operand {
	if n.Dims() == 2 {
		return b.scratchOf(n, tensor.Shape{b.size, n.Shape()[1]})
	}
	return b.scratchOf(n, o.shape(in)) // packed
}

func (b *cut) scratchOf(n *G.Node, shape tensor.Shape) operand {
	if b.scratch[n.ID()] == nil {
		b.scratch[n.ID()] = b.device.NewBuffer(shape.TotalSize())
	}
	return operand{value{buffer: b.scratch[n.ID()], active: &b.active}, shape}
}

// addView makes the first section of a packed vector a matrix, and copies it
// where others read it.
func (b *cut) addView(n *G.Node, o *op) {
	cols := n.Shape()[1]
	from := b.local[b.operands(n)[o.view.input].ID()].buffer
	v := value{buffer: b.device.View(from, 0, b.size*cols), active: &b.active}
	b.local[n.ID()] = operand{v, tensor.Shape{b.size, cols}}
	if result, ok := b.results[n.ID()]; ok {
		to := b.rowsOf(result, n.Shape())
		b.calls = append(b.calls, func() { b.device.CopyRows(b.active, cols, to.buffer, cols, v.buffer, cols) })
	}
}

// rowsOf is the block's rows of a value of all rows.
func (b *cut) rowsOf(v value, shape tensor.Shape) operand {
	out := operand{value{active: &b.active}, shape.Clone()}
	out.shape[0] = b.size
	if v.ints != nil {
		out.ints = b.device.ViewInts(v.ints, b.first, b.size)
	} else {
		width := shape.TotalSize() / shape[0]
		out.buffer = b.device.View(v.buffer, b.first*width, b.size*width)
	}
	return out
}
