package memory

import (
	"dgsbench/nn"
)

// settled is the memories that a batch leaves behind before its own events
// are applied: those of its nodes as they are read, with a gradient, and
// others as they are kept.
type settled struct {
	*Core
	reading *reading
	own     *nodeList // of the batch
	others  *nodeList // that were asked for
	table   *extended
	rows    []int32 // scratch
}

// newSettled serves batches of so many nodes, own, and so many others.
func newSettled(c *Core, s *store, name string, own *nodeList, nodes, others int) (*settled, error) {
	t := &settled{Core: c, own: own, others: newNodeList(c.nodes)}
	var err error
	if t.reading, err = newReading(c, s, name, kept{c}, nodes, nodes); err != nil {
		return nil, err
	}
	t.table, err = newExtended(c, name+".others", t.reading.out, t.reading.rows, others)
	return t, err
}

// start lists the batch's nodes and puts their times forward.
func (t *settled) start(blank bool) {
	t.reading.list(t.own.nodes, blank)
	t.reading.fill()
	t.Net.Now() // the batch's own events take the place of these
	t.others.start()
	for i, n := range t.own.nodes {
		t.Updated[n] = t.reading.updated[i]
	}
}

// nothing is for programs that do not look at it.
func (t *settled) nothing() {
	t.reading.list(nil, false)
	t.table.list(0, nil)
}

func (t *settled) node() *nn.Node { return t.table.out }

// rowsOf lists nodes that are not the batch's own.
func (t *settled) rowsOf(nodes []int32) []int32 {
	t.rows = t.rows[:0]
	for _, n := range nodes {
		if i := t.own.at(n); i >= 0 {
			t.rows = append(t.rows, t.reading.row[i])
			continue
		}
		if t.others.at(n) < 0 {
			t.others.add([]int32{n})
		}
		t.rows = append(t.rows, int32(len(t.reading.ids))+t.others.at(n))
	}
	return t.rows
}

// write is for when all rows have been asked for.
func (t *settled) write() {
	t.table.list(len(t.reading.ids), t.others.nodes)
	t.table.write()
}

// keep keeps the memories of the batch's nodes, which a program has computed.
func (t *settled) keep(w *writer, trained *nn.Training) {
	w.list(t.reading.row, t.own.nodes)
	w.keep(trained.Buffer(t.reading.out))
}
