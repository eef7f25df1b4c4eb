package nn

import (
	"cmp"
	"slices"

	"dgsbench/kernels"

	G "gorgonia.org/gorgonia"
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

func (h *chain) add(n *G.Node) {
	h.nodes = append(h.nodes, n)
	h.in[n.ID()] = true
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
			if _, result := h.results[child.ID()]; result || !h.in[child.ID()] && !h.again[child.ID()] {
				h.release(h.root(child.ID()))
			}
		}
	}
}
