package dgs

import "dgsbench/datasets"

// The table of states has two rows for each node, one in either half. A batch
// reads the row that holds the state and writes the other: so a program for
// inference puts new states away while others of its rows still read the old
// ones, and a batch that fails has changed nothing. Training reads and writes
// the first half alone.

// halves says where the states are, and what a batch reads and writes.
type halves struct {
	second    []bool // nodes whose state is in the second half
	count     int    // of these
	from, to  ends[[]int32]
	addresses []int32 // scratch
}

func newHalves(nodes, mostEvents int) halves {
	list := func() []int32 { return make([]int32, mostEvents) }
	return halves{second: make([]bool, nodes), from: ends[[]int32]{list(), list()}, to: ends[[]int32]{list(), list()}}
}

// row is where a node's state is.
func (t *states) row(node int32) int32 {
	if t.halves.second[node] {
		return int32(t.nodes) + node
	}
	return node
}

// free is the node's other row.
func (t *states) free(node int32) int32 { return 2*node + int32(t.nodes) - t.row(node) }

// nowhere stands for the row of a state that is not kept.
const nowhere = -1

// follow lists the rows that each event of the batch reads, and those that
// its states are kept in: of several writes of a node the last one's.
func (t *states) follow(b datasets.Stream) {
	h := &t.halves
	for k := range b.Len() {
		h.from.source[k], h.from.destination[k] = t.row(b.Src[k]), t.row(b.Dst[k])
		h.to.source[k], h.to.destination[k] = nowhere, nowhere
	}
	t.writes = t.finder.Writes(b)
	for _, w := range t.writes {
		if w.Self == b.Src[w.Event] {
			h.to.source[w.Event] = t.free(w.Self)
		} else {
			h.to.destination[w.Event] = t.free(w.Self)
		}
	}
}

// turn makes what was written the states.
func (t *states) turn() {
	h := &t.halves
	for _, w := range t.writes {
		if h.second[w.Self] = !h.second[w.Self]; h.second[w.Self] {
			h.count++
		} else {
			h.count--
		}
	}
}

// settle moves all states to the first half.
func (t *states) settle() {
	h, n := &t.halves, 0
	move := func() {
		t.lists.write(writeLists - 1)
		t.device.MoveRows(n, t.size, t.s, t.rows.self.on, t.table, t.rows.other.on)
		n = 0
	}
	for node := int32(0); h.count > 0; node++ {
		if !h.second[node] {
			continue
		}
		t.rows.self.host[n], t.rows.other.host[n] = node, t.row(node)
		h.second[node] = false
		h.count--
		if n++; n == len(t.rows.self.host) {
			move()
		}
	}
	if n > 0 {
		move()
	}
}
