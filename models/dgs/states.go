package dgs

import (
	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/models/internal/lastwrite"
)

// states is the table of the nodes' states on the device, and the writes of
// one batch.
type states struct {
	device kernels.Device
	nodes  int
	size   int
	s      kernels.Buffer // nodes x size
	finder *lastwrite.Finder

	// The surviving writes: which rows they read, and what came of it.
	writes  []lastwrite.Write
	host    []int32
	moved   struct{ nodes, events []int32 } // of one end of the events
	from    kernels.MixtureRows
	mixture kernels.Mixture
	after   kernels.Buffer // new states, a row a write

	index kernels.Ints // of Gather
}

// gatherRows is how many states Gather is asked for at once, but for those
// of a batch.
const gatherRows = 512

func newStates(d kernels.Device, n *network, s models.Setup) *states {
	most := 2 * s.MaxBatch
	t := &states{
		device: d, nodes: s.NumNodes, size: n.size, s: d.NewBuffer(s.NumNodes * n.size), finder: lastwrite.NewFinder(s.NumNodes),
		host: make([]int32, most), from: kernels.MixtureRows{Self: d.NewInts(most), Other: d.NewInts(most), E: d.NewInts(most)},
		after: d.NewBuffer(most * n.size), index: d.NewInts(max(2*most, gatherRows)),
	}
	t.mixture = kernels.Mixture{Cols: n.size, PerRow: n.opts.Factors == Input, From: &t.from}
	return t
}

// Gather writes the states of the nodes to dst, a row each.
func (t *states) Gather(_ kernels.Device, nodes []int32, dst kernels.Buffer) {
	t.device.WriteInts(t.index, nodes)
	t.device.GatherRows(len(nodes), t.nodes, t.size, dst, t.s, t.index)
}

// stage computes the states that the batch leaves behind; they are not yet
// in the table. The values of its events begin at row first.
func (t *states) stage(b datasets.Stream, first int, v values) {
	t.writes = t.finder.Writes(b)
	t.list(t.from.Self, func(w lastwrite.Write) int32 { return w.Self })
	t.list(t.from.Other, func(w lastwrite.Write) int32 { return w.Other })
	t.list(t.from.E, func(w lastwrite.Write) int32 { return w.Event + int32(first) })
	t.mix(len(t.writes), v, t.after)
}

// mix computes so many new states from the rows that from lists.
func (t *states) mix(rows int, v values, to kernels.Buffer) {
	m := &t.mixture
	m.Rows, m.Self, m.Other, m.E, m.Alpha, m.Beta = rows, t.s, t.s, v.e, v.alpha, v.beta
	t.device.Mix(m, to)
}

// keep puts into the table what became of the nodes of a batch at their last
// events: rows of after, one an event.
func (t *states) keep(b datasets.Stream, after ends[kernels.Buffer]) {
	t.writes = t.finder.Writes(b)
	t.move(b, after.source, true)
	t.move(b, after.destination, false)
}

// move keeps the writes of sources, or the others.
func (t *states) move(b datasets.Stream, after kernels.Buffer, sources bool) {
	t.moved.nodes, t.moved.events = t.moved.nodes[:0], t.moved.events[:0]
	for _, w := range t.writes {
		if sources == (w.Self == b.Src[w.Event]) {
			t.moved.nodes, t.moved.events = append(t.moved.nodes, w.Self), append(t.moved.events, w.Event)
		}
	}
	t.device.WriteInts(t.from.Self, t.moved.nodes)
	t.device.WriteInts(t.from.E, t.moved.events)
	t.device.MoveRows(len(t.moved.events), t.size, t.s, t.from.Self, after, t.from.E)
}

// list writes a number of every write to the device.
func (t *states) list(to kernels.Ints, of func(lastwrite.Write) int32) {
	for i, w := range t.writes {
		t.host[i] = of(w)
	}
	t.device.WriteInts(to, t.host[:len(t.writes)])
}

// commit puts the staged states into the table.
func (t *states) commit() {
	t.device.ScatterRows(len(t.writes), t.size, t.s, t.after, t.from.Self)
}

// reset makes all states zero.
func (t *states) reset() { t.device.Zero(t.nodes*t.size, t.s) }

// grow makes room for so many nodes. The states stay.
func (t *states) grow(nodes int) {
	s := t.device.NewBuffer(nodes * t.size)
	t.device.CopyRows(t.nodes, t.size, s, t.size, t.s, t.size)
	t.s, t.nodes, t.finder = s, nodes, lastwrite.NewFinder(nodes)
}

// tensors copies the table.
func (t *states) tensors() []models.Tensor {
	s := models.Tensor{Name: "S", Shape: []int{t.nodes, t.size}, F32: make([]float32, t.nodes*t.size)}
	t.device.Read(s.F32, t.s)
	return []models.Tensor{s}
}

// restore puts a table back.
func (t *states) restore(saved []models.Tensor) error {
	own := t.tensors()
	if err := models.Copy(own, saved); err != nil {
		return err
	}
	t.device.Write(t.s, own[0].F32)
	return nil
}
