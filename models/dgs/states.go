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

	// The surviving writes: which rows they read, and the rows that came of
	// it.
	writes                []lastwrite.Write
	host                  []int32
	selves, others, event kernels.Ints
	mixture               kernels.Mixture
	alphaRows, betaRows   kernels.Buffer // with PerRow
	after                 kernels.Buffer // new states

	index kernels.Ints // of Gather
}

// gatherRows is how many states Gather is asked for at once, but for those
// of a batch.
const gatherRows = 512

func newStates(d kernels.Device, n *network, s models.Setup) *states {
	most := 2 * s.MaxBatch
	rows := func() kernels.Buffer { return d.NewBuffer(most * n.size) }
	t := &states{
		device: d, nodes: s.NumNodes, size: n.size, s: d.NewBuffer(s.NumNodes * n.size), finder: lastwrite.NewFinder(s.NumNodes),
		host: make([]int32, most), selves: d.NewInts(most), others: d.NewInts(most), event: d.NewInts(most),
		after: rows(), index: d.NewInts(max(2*most, gatherRows)),
		mixture: kernels.Mixture{Cols: n.size, Self: rows(), Other: rows(), E: rows(), PerRow: n.opts.Factors == Input},
	}
	if t.mixture.PerRow {
		t.alphaRows, t.betaRows = rows(), rows()
	}
	return t
}

// Gather writes the states of the nodes to dst, a row each.
func (t *states) Gather(_ kernels.Device, nodes []int32, dst kernels.Buffer) {
	t.device.WriteInts(t.index, nodes)
	t.device.GatherRows(len(nodes), t.nodes, t.size, dst, t.s, t.index)
}

// stage computes the states that the batch leaves behind; they are not yet
// in the table.
func (t *states) stage(b datasets.Stream, v values) {
	t.writes = t.finder.Writes(b)
	t.list(t.selves, func(w lastwrite.Write) int32 { return w.Self })
	t.list(t.others, func(w lastwrite.Write) int32 { return w.Other })
	t.list(t.event, func(w lastwrite.Write) int32 { return w.Event })
	m, d, n := &t.mixture, t.device, len(t.writes)
	m.Rows, m.Alpha, m.Beta = n, v.alpha, v.beta
	d.GatherRows(n, t.nodes, t.size, m.Self, t.s, t.selves)
	d.GatherRows(n, t.nodes, t.size, m.Other, t.s, t.others)
	d.GatherRows(n, b.Len(), t.size, m.E, v.e, t.event)
	if m.PerRow {
		d.GatherRows(n, b.Len(), t.size, t.alphaRows, v.alpha, t.event)
		d.GatherRows(n, b.Len(), t.size, t.betaRows, v.beta, t.event)
		m.Alpha, m.Beta = t.alphaRows, t.betaRows
	}
	d.Mix(m, t.after)
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
	t.device.ScatterRows(len(t.writes), t.size, t.s, t.after, t.selves)
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
