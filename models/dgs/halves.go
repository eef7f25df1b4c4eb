package dgs

import (
	"dgsbench/datasets"
	"dgsbench/models/halves"
)

// Programs for inference read the rows of one half of the table and put new
// states into those of the other (package halves). Training reads and writes
// the first half alone.

// batchRows are the rows that a batch reads, and those that it writes.
type batchRows struct{ from, to ends[[]int32] }

func newBatchRows(mostEvents int) batchRows {
	list := func() []int32 { return make([]int32, mostEvents) }
	return batchRows{ends[[]int32]{list(), list()}, ends[[]int32]{list(), list()}}
}

// follow lists the rows that each event of the batch reads, and those that
// its states are kept in: of several writes of a node the last one's.
func (t *states) follow(b datasets.Stream) {
	from, to := t.batch.from, t.batch.to
	for k := range b.Len() {
		from.source[k], from.destination[k] = t.rowOf.Of(b.Src[k]), t.rowOf.Of(b.Dst[k])
		to.source[k], to.destination[k] = halves.Nowhere, halves.Nowhere
	}
	t.writes = t.finder.Writes(b)
	for _, w := range t.writes {
		if w.Self == b.Src[w.Event] {
			to.source[w.Event] = t.rowOf.Free(w.Self)
		} else {
			to.destination[w.Event] = t.rowOf.Free(w.Self)
		}
	}
}

// turn makes what was written the states.
func (t *states) turn() {
	for _, w := range t.writes {
		t.rowOf.Turn(w.Self)
	}
}

// settle moves all states to the first half.
func (t *states) settle() {
	to, from, n := t.rows.self, t.rows.other, 0
	move := func() {
		t.lists.write(writeLists - 1)
		t.device.MoveRows(n, t.size, t.s, to.on, t.table, from.on)
		n = 0
	}
	for node := range t.rowOf.Second() {
		to.host[n], from.host[n] = node, t.rowOf.Of(node)
		if n++; n == len(to.host) {
			move()
		}
	}
	if n > 0 {
		move()
	}
	t.rowOf.Reset()
}
