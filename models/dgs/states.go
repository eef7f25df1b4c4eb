package dgs

import (
	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/models/halves"
	"dgsbench/models/lastwrite"
)

// states is the table of the nodes' states on the device, and the writes of
// one batch.
type states struct {
	device kernels.Device
	nodes  int
	size   int
	table  kernels.Buffer // 2 nodes x size
	s      kernels.Buffer // its first half
	rowOf  halves.Rows
	batch  batchRows
	finder *lastwrite.Finder

	// The surviving writes: which rows they read, and what came of it.
	writes  []lastwrite.Write
	lists   *lists
	rows    batchLists
	from    kernels.MixtureRows // rows.self, other and event
	mixture kernels.Mixture
	after   kernels.Buffer // new states, a row a write

	index    kernels.Ints // of Gather, and of states set aside
	gathered []int32      // the same on the host

	// States that ClassifyAhead may have to take back.
	otherHalf kernels.Buffer // of the table
	aside     []int32        // nodes whose states are there
	isAside   []bool         // of a node
}

// batchLists are the row numbers that a batch needs: those of its writes
// first, as that is all that inference needs.
type batchLists struct {
	self, other, event list // of the writes
	ends               list // nodes whose states the head reads
	touched, positions list // see touched
}

// gatherRows is how many states Gather is asked for at once, but for those
// of a batch.
const gatherRows = 512

func newStates(d kernels.Device, n *network, s models.Setup) *states {
	most := 2 * s.MaxBatch
	t := &states{
		device: d, size: n.size, batch: newBatchRows(s.MaxBatch),
		lists: newLists(d, most, most, most, 2*most, 3*s.MaxBatch, 2*most),
		after: d.NewBuffer(most * n.size), index: d.NewInts(max(2*most, gatherRows)),
	}
	l := t.lists
	t.rows = batchLists{self: l.list(0), other: l.list(1), event: l.list(2), ends: l.list(3), touched: l.list(4), positions: l.list(5)}
	t.from = kernels.MixtureRows{Self: t.rows.self.on, Other: t.rows.other.on, E: t.rows.event.on}
	t.make(s.NumNodes)
	t.mixture = kernels.Mixture{Cols: n.size, PerRow: n.opts.Factors == Input, From: &t.from}
	return t
}

// make makes a table of zeros.
func (t *states) make(nodes int) {
	t.nodes, t.table = nodes, t.device.NewBuffer(2*nodes*t.size)
	t.s, t.otherHalf = t.device.View(t.table, 0, nodes*t.size), t.device.View(t.table, nodes*t.size, nodes*t.size)
	t.isAside = make([]bool, nodes)
	t.finder, t.rowOf = lastwrite.NewFinder(nodes), halves.New(nodes)
}

// How many of the lists are written: those of the writes, of ends too, all.
const (
	writeLists = 3
	endLists   = 4
	allLists   = 6
)

// Gather writes the states of the nodes to dst, a row each.
func (t *states) Gather(_ kernels.Device, nodes []int32, dst kernels.Buffer) {
	t.gathered = t.rowOf.Append(t.gathered[:0], nodes)
	t.device.WriteInts(t.index, t.gathered)
	t.device.GatherRows(len(nodes), 2*t.nodes, t.size, dst, t.table, t.index)
}

// gather does so for nodes that are listed on the device, of settled states.
func (t *states) gather(nodes int, of list, dst kernels.Buffer) {
	t.device.GatherRows(nodes, t.nodes, t.size, dst, t.s, of.on)
}

// stage computes the states that the batch leaves behind; they are not yet
// in the table. The values of its events begin at row first.
func (t *states) stage(b datasets.Stream, first int, v values) {
	t.plan(b, first)
	t.lists.write(writeLists)
	t.mix(len(t.writes), v, t.after)
}

// plan lists the writes of the batch, not yet on the device.
func (t *states) plan(b datasets.Stream, first int) {
	t.writes = t.finder.Writes(b)
	for i, w := range t.writes {
		t.rows.self.host[i], t.rows.other.host[i], t.rows.event.host[i] = w.Self, w.Other, w.Event+int32(first)
	}
}

// mix computes so many new states from the rows that from lists.
func (t *states) mix(rows int, v values, to kernels.Buffer) { t.device.Mix(t.mixed(rows, v), to) }

// mixed is what it computes.
func (t *states) mixed(rows int, v values) *kernels.Mixture {
	m := &t.mixture
	m.Rows, m.Self, m.Other, m.E, m.Alpha, m.Beta = rows, t.s, t.s, v.e, v.alpha, v.beta
	return m
}

// listWrites puts the nodes that are written on the device, for whoever
// works on them after keep.
func (t *states) listWrites() {
	for i, w := range t.writes {
		t.rows.self.host[i] = w.Self
	}
	t.lists.write(1)
}

// commit puts the staged states into the table.
func (t *states) commit() {
	t.device.ScatterRows(len(t.writes), t.size, t.s, t.after, t.from.Self)
}

// reset makes all states zero.
func (t *states) reset() {
	t.rowOf.Reset()
	t.device.Zero(t.nodes*t.size, t.s)
}

// grow extends the table to the given number of nodes, keeping all states, and
// returns the table as it was.
func (t *states) grow(nodes int) (before states) {
	t.settle()
	before = *t
	t.make(nodes)
	t.device.CopyRows(before.nodes, t.size, t.s, t.size, before.s, t.size)
	return before
}

// tensors copies the states.
func (t *states) tensors() []models.Tensor {
	t.settle()
	s := models.Tensor{Name: "S", Shape: []int{t.nodes, t.size}, F32: make([]float32, t.nodes*t.size)}
	t.device.Read(s.F32, t.s)
	return []models.Tensor{s}
}

// restore puts states back, of which tensors had the shape.
func (t *states) restore(saved []models.Tensor) {
	t.rowOf.Reset()
	t.device.Write(t.s, saved[0].F32)
}
