package nn

import (
	"cmp"
	"slices"

	"dgsbench/kernels"

	"gorgonia.org/tensor"
)

// chain is operations on the same active rows, each of which computes rows
// apart from each other, in compilation.
type chain struct {
	*compiler
	rows  *int
	steps []*step
}

// compile prepares the calls for every block of rows. Values that nobody
// else reads live in buffers of a block's size, one for each thread.
func (h *chain) compile() *section {
	h.findShared()
	d, s := h.graph.device, &section{rows: h.rows}
	scratch := make([]map[*step]kernels.Buffer, d.Threads())
	for i := range scratch {
		scratch[i] = map[*step]kernels.Buffer{}
	}
	capacity := h.capacity()
	size, steps := h.graph.blocks.of(capacity, d.Threads(), h.width()), h.order()
	for first := 0; first < capacity; first += size {
		thread := len(s.blocks) % d.Threads()
		b := &cut{
			chain: h, device: d.Thread(thread), scratch: scratch[thread], local: map[*step]operand{},
			block: &block{first: first, size: min(size, capacity-first)},
		}
		if d, ok := b.device.(kernels.Fuser); ok { // one call of them all
			b.asOne = d.Fuse(b.size)
			b.device = b.asOne
		}
		for _, s := range steps {
			b.add(s)
		}
		s.blocks = append(s.blocks, b.block)
	}
	return s
}

// order is that of the calls. A device that makes one of them all is asked
// first for what waits for the fewest others, and among these at once for what
// reads the same parameter: so there is much to do at a time, and both ends of
// events go through a layer together.
func (h *chain) order() []*step {
	if _, ok := h.graph.device.(kernels.Fuser); !ok {
		return h.steps
	}
	depth, shared := map[*step]int{}, map[*step]int64{}
	for _, s := range h.steps {
		for i, operand := range s.operands {
			switch {
			case operand.chain == h || operand.fedList():
				depth[s] = max(depth[s], depth[operand]+1)
			case !s.op.perRow(i) && shared[s] == 0:
				shared[s] = operand.ID()
			}
		}
	}
	return slices.SortedStableFunc(slices.Values(h.steps), func(a, b *step) int {
		return cmp.Or(depth[a]-depth[b], cmp.Compare(shared[a], shared[b]))
	})
}

// capacity is the largest number of rows.
func (h *chain) capacity() int {
	first := h.steps[0]
	for i, operand := range first.operands {
		if first.op.perRow(i) {
			return operand.Shape()[0]
		}
	}
	return first.Shape()[0]
}

// width is how many numbers the values of a row have together.
func (h *chain) width() int {
	total := 0
	for _, s := range h.steps {
		total += s.Shape().TotalSize()
	}
	return max(total/max(h.capacity(), 1), 1)
}

// findShared gives those buffers that others read. The inputs that are fed
// have theirs.
func (h *chain) findShared() {
	own := map[*step]int{} // readers in the chain
	for _, s := range h.steps {
		for _, operand := range s.operands {
			own[operand]++
		}
	}
	for _, s := range h.steps {
		switch others := s.readers - own[s]; {
		case s.leaf != nil:
			s.shared = others > 1 // an input counts as read once more
		case others == 0:
		case s.Dims() != 2:
			panic("nn: the packed " + s.op.name + " is read by other than its views")
		default:
			s.shared, s.buffer = true, h.alloc(s.Shape().TotalSize())
		}
	}
}

// finish makes the shared values known, and gives back what the chain has
// read.
func (h *chain) finish() {
	for _, s := range h.steps {
		s.known = s.shared
	}
	for _, s := range h.steps {
		for _, operand := range s.operands {
			if operand.known {
				h.release(operand)
			}
		}
	}
}

// cut is a block of a chain's rows in compilation.
type cut struct {
	*chain
	*block
	device  kernels.Device           // of its thread
	scratch map[*step]kernels.Buffer // of its thread
	local   map[*step]operand        // the block's rows of the chain's values
}

// add makes the block's rows of a value available.
func (b *cut) add(s *step) {
	switch {
	case s.leaf != nil:
		b.local[s] = b.rowsFor(s, tensor.Shape{b.size, s.Shape()[1]})
		b.calls = append(b.calls, s.leaf.feed(b.part(s)))
	case s.op.view != nil:
		b.addView(s)
	default:
		c := s.on(b.device, b.mode, func(i int) operand { return b.operand(s, i) })
		out := b.rowsFor(s, c.shape())
		b.local[s] = out
		b.calls = append(b.calls, c.to(out.buffer))
	}
	if s.drained {
		b.calls = append(b.calls, b.graph.drains[s.ID()](b.part(s)))
	}
}

// part is the block as feeds and drains know it.
func (b *cut) part(s *step) Part {
	return Part{Device: b.device, At: b.local[s].buffer, First: b.first, MaxRows: b.size, active: &b.active}
}

// operand is what the block needs of operand i of s.
func (b *cut) operand(s *step, i int) operand {
	of := s.operands[i]
	if there, ok := b.local[of]; ok {
		return there
	}
	switch {
	case of.repeated:
		b.addVector(of)
	case of.fedList():
		b.addList(of)
	case s.op.perRow(i):
		return b.rowsOf(of)
	default:
		return of.whole()
	}
	return b.local[of]
}

// addVector computes a vector for the block.
func (b *cut) addVector(s *step) {
	c := s.on(b.device, b.mode, func(i int) operand { return s.operands[i].whole() })
	out := operand{value{buffer: b.asOne.NewVector(s.Shape().TotalSize())}, s.Shape()}
	b.local[s] = out
	b.calls = append([]func(){c.to(out.buffer)}, b.calls...) // before what waits for others
}

// addList fetches the block's part of a list.
func (b *cut) addList(s *step) {
	to, list := b.device.NewInts(b.size), s.leaf.list
	b.local[s] = operand{value{ints: to, active: &b.active}, tensor.Shape{b.size}}
	b.calls = append(b.calls, func() { b.device.WriteInts(to, list()[b.first:][:b.active]) })
}

// addView makes the first section of a packed vector a matrix, and copies it
// where others read it.
func (b *cut) addView(s *step) {
	cols, from := s.Shape()[1], b.local[s.operands[len(s.operands)-1]].buffer
	v := value{buffer: b.device.View(from, 0, b.size*cols), active: &b.active}
	b.local[s] = operand{v, tensor.Shape{b.size, cols}}
	if s.shared {
		to := b.rowsOf(s).buffer
		b.calls = append(b.calls, func() { b.device.CopyRows(b.active, cols, to, cols, v.buffer, cols) })
	}
}

// rowsFor is where the block's rows of a value go: into the buffer of all rows
// if it is shared, else into one that only the thread's blocks use, the first
// of which has as many rows as any.
func (b *cut) rowsFor(s *step, shape tensor.Shape) operand {
	if s.shared {
		return b.rowsOf(s)
	}
	if b.scratch[s] == nil {
		b.scratch[s] = b.device.NewBuffer(shape.TotalSize())
	}
	return operand{value{buffer: b.scratch[s], active: &b.active}, shape}
}

// rowsOf is the block's rows of a value of all rows.
func (b *cut) rowsOf(s *step) operand {
	out := operand{value{active: &b.active}, s.Shape().Clone()}
	out.shape[0] = b.size
	if s.ints != nil {
		out.ints = b.device.ViewInts(s.ints, b.first, b.size)
	} else {
		width := s.Shape().TotalSize() / s.Shape()[0]
		out.buffer = b.device.View(s.buffer, b.first*width, b.size*width)
	}
	return out
}
