package nn

import (
	"cmp"
	"slices"

	"dgsbench/kernels"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// chain is operations on the same active rows, each of which computes rows
// apart from each other, in compilation.
type chain struct {
	*compiler
	rows  *int
	nodes G.Nodes
	in    map[int64]bool
	// results are what others read, too, in buffers of all rows.
	results map[int64]value
}

// compile prepares the calls for every block of rows. Values that nobody
// else reads live in buffers of a block's size, one for each thread.
func (h *chain) compile() *section {
	h.findResults()
	d, s := h.graph.device, &section{rows: h.rows}
	scratch := make([]map[int64]kernels.Buffer, d.Threads())
	for i := range scratch {
		scratch[i] = map[int64]kernels.Buffer{}
	}
	capacity := h.capacity()
	step, nodes := h.graph.blocks.of(capacity, d.Threads()), h.order()
	for first := 0; first < capacity; first += step {
		thread := len(s.blocks) % d.Threads()
		b := &cut{
			chain: h, device: d.Thread(thread), scratch: scratch[thread], local: map[int64]operand{},
			block: &block{first: first, size: min(step, capacity-first)},
		}
		b.joinCalls()
		for _, n := range nodes {
			b.add(n)
		}
		s.blocks = append(s.blocks, b.block)
	}
	return s
}

// order is that of the calls. A device that makes one of them all is asked
// first for what waits for the fewest others, and among these at once for what
// reads the same parameter: so there is much to do at a time, and both ends of
// events go through a layer together.
func (h *chain) order() G.Nodes {
	if _, ok := h.graph.device.(kernels.Fuser); !ok {
		return h.nodes
	}
	depth, shared := map[int64]int{}, map[int64]int64{}
	for _, n := range h.nodes {
		for i, child := range h.operands(n) {
			switch {
			case h.in[child.ID()]:
				depth[n.ID()] = max(depth[n.ID()], depth[child.ID()]+1)
			case !h.ops[n.ID()].apart[i] && shared[n.ID()] == 0:
				shared[n.ID()] = child.ID()
			}
		}
	}
	return slices.SortedStableFunc(slices.Values(h.nodes), func(a, b *G.Node) int {
		return cmp.Or(depth[a.ID()]-depth[b.ID()], cmp.Compare(shared[a.ID()], shared[b.ID()]))
	})
}

// capacity is the most rows.
func (h *chain) capacity() int {
	first := h.nodes[0]
	if o := h.ops[first.ID()]; o != nil {
		for i, child := range h.operands(first) {
			if o.apart[i] {
				return child.Shape()[0]
			}
		}
	}
	return first.Shape()[0]
}

// findResults gives those buffers that others read. The inputs that are fed
// have theirs, then.
func (h *chain) findResults() {
	own := map[int64]int{} // readers in the chain
	for _, n := range h.nodes {
		for _, child := range h.operands(n) {
			own[child.ID()]++
		}
	}
	h.results = map[int64]value{}
	for _, n := range h.nodes {
		leaf, others := h.graph.leaves[n.Name()], h.readers[n.ID()]-own[n.ID()]
		switch fed := h.ops[n.ID()] == nil; {
		case fed && others == 1: // an input counts as read once more
		case fed && leaf.list != nil:
			panic("nn: the list " + n.Name() + " is read by several chains, but fed to one")
		case fed:
			h.results[n.ID()] = value{buffer: leaf.buffer, active: h.rows}
		case others == 0:
		case n.Dims() != 2:
			panic("nn: the packed " + h.ops[n.ID()].name + " is read by other than its views")
		default:
			h.results[n.ID()] = value{buffer: h.alloc(n.Shape().TotalSize()), active: h.rows}
		}
	}
}

// finish makes the results available, and gives back what the chain has read.
func (h *chain) finish() {
	for id, v := range h.results {
		h.values[id] = v
	}
	for _, n := range h.nodes {
		for _, child := range h.operands(n) {
			if _, result := h.results[child.ID()]; result || !h.in[child.ID()] && !h.repeated[child.ID()] {
				h.release(h.root(child.ID()))
			}
		}
	}
}

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
		case b.repeated[child.ID()]:
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
	b.calls = append(b.calls, o.prepare(place))
}

// scratchFor is a buffer that only the block reads. The first block of a
// thread has as many rows as any.
func (b *cut) scratchFor(n *G.Node, o *op, in []tensor.Shape) operand {
	if n.Dims() == 2 {
		return b.scratchOf(n, tensor.Shape{b.size, n.Shape()[1]})
	}
	return b.scratchOf(n, o.outShape(in)) // packed
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
	b.calls = append([]func(){b.ops[n.ID()].prepare(place)}, b.calls...) // before what waits for others
	return out
}
