package graphsprints

import (
	"slices"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/models/buckets"
	"dgsbench/models/lastwrite"
	"dgsbench/nn"
)

// states is the table of the nodes' states on the device, with equation 1. A
// state is a vector of histograms S or, with a projection, the product S W.
type states struct {
	device kernels.Device
	nodes  int
	cols   int            // length of a state
	table  kernels.Buffer // nodes x cols

	buckets    *buckets.Buckets
	projection *projection // nil: the states are histograms

	// Of a batch.
	finder *buckets.Finder
	found  kernels.Ints // the buckets of its events
	writes *lastwrite.Finder

	rows     rows           // of fold
	after    kernels.Buffer // new states of nodes
	sources  kernels.Buffer // new states of the events' sources; nil until sourcesAfter
	move     *nn.Move
	to, from []int32      // rows to be moved
	index    kernels.Ints // of Gather
}

// rows are new states that are to be computed: the old ones and the event that
// each is made from.
type rows struct {
	self, other, event []int32
	fold               kernels.Fold
}

// newStates returns the states of nodes without events.
func newStates(d kernels.Device, o *Options, b *buckets.Buckets, p *projection, s models.Setup) *states {
	cols, maxWrites := b.Size(), 2*s.MaxBatch
	if p != nil {
		cols = p.cols
	}
	ints := func() kernels.Ints { return d.NewInts(maxWrites) }
	constant := func(factor float32) kernels.Buffer {
		b := d.NewBuffer(maxWrites)
		d.Write(b, slices.Repeat([]float32{factor}, maxWrites))
		return b
	}
	alpha, beta := float32(o.Alpha), float32(o.Beta)
	return &states{
		device: d, nodes: s.NumNodes, cols: cols, table: d.NewBuffer(s.NumNodes * cols),
		buckets: b, projection: p,
		finder: b.On(d, s.MaxBatch), writes: lastwrite.NewFinder(s.NumNodes),
		rows: rows{fold: kernels.Fold{
			Self: ints(), Other: ints(), Event: ints(), Cols: cols, Nodes: s.NumNodes,
			Keep: constant(beta), Mix: constant((1 - beta) * alpha), Hit: constant((1 - beta) * (1 - alpha)),
		}},
		after: d.NewBuffer(maxWrites * cols), move: nn.NewMove(d, maxWrites, cols), index: d.NewInts(max(2*maxWrites, nn.PairChunk)),
	}
}

// read computes delta(F) of every event of the batch, for sourcesAfter and
// fold.
func (t *states) read(b datasets.Stream) (err error) {
	t.sources = nil
	if t.found, err = t.finder.Find(b); err != nil {
		return err
	}
	if p := t.projection; p != nil {
		t.device.SumRows(b.Len(), b.NumFeat, p.buckets, p.cols, p.sums, p.w, t.found)
	}
	return nil
}

// sourcesAfter writes one row an event: the state of its source with this
// event folded in, from the states in the table. dst must keep its rows until
// fold.
func (t *states) sourcesAfter(b datasets.Stream, dst kernels.Buffer) {
	t.rows.clear()
	for k := range b.Len() {
		t.add(lastwrite.Write{Event: int32(k), Self: b.Src[k], Other: b.Dst[k]})
	}
	t.compute(b, dst)
	t.sources = dst
}

// fold advances the table by the batch and returns the writes made. All reads
// come before the first write. Rows of sourcesAfter are not computed again.
func (t *states) fold(b datasets.Stream) []lastwrite.Write {
	isComputed := func(w lastwrite.Write) bool { return t.sources != nil && w.Self == b.Src[w.Event] }
	writes := t.writes.Writes(b)
	t.rows.clear()
	for _, w := range writes {
		if !isComputed(w) {
			t.add(w)
		}
	}
	t.compute(b, t.after)
	t.to, t.from = append(t.to[:0], t.rows.self...), t.from[:0]
	for i := range t.to {
		t.from = append(t.from, int32(i))
	}
	t.move.Run(t.table, t.to, t.after, t.from)
	t.to, t.from = t.to[:0], t.from[:0]
	for _, w := range writes {
		if isComputed(w) {
			t.to, t.from = append(t.to, w.Self), append(t.from, w.Event)
		}
	}
	t.move.Run(t.table, t.to, t.sources, t.from)
	return writes
}

// add appends the state that w writes to the rows to be computed.
func (t *states) add(w lastwrite.Write) {
	r := &t.rows
	r.self, r.other, r.event = append(r.self, w.Self), append(r.other, w.Other), append(r.event, w.Event)
}

func (r *rows) clear() { r.self, r.other, r.event = r.self[:0], r.other[:0], r.event[:0] }

// compute writes the rows to dst.
func (t *states) compute(b datasets.Stream, dst kernels.Buffer) {
	r, f := &t.rows, &t.rows.fold
	f.Rows, f.Table, f.Events = len(r.self), t.table, b.Len()
	t.device.WriteInts(f.Self, r.self)
	t.device.WriteInts(f.Other, r.other)
	t.device.WriteInts(f.Event, r.event)
	if t.projection != nil {
		t.device.FoldRows(f, dst, t.projection.sums)
	} else {
		t.device.FoldBuckets(f, dst, t.found, b.NumFeat)
	}
}

// Gather copies the states of the nodes to dst, a row each.
func (t *states) Gather(nodes []int32, dst kernels.Buffer) {
	t.device.WriteInts(t.index, nodes)
	t.device.GatherRows(len(nodes), t.nodes, t.cols, dst, t.table, t.index)
}

func (t *states) reset() {
	t.device.Zero(t.nodes*t.cols, t.table)
}

func (t *states) fields() models.Fields {
	name := "S"
	if t.projection != nil {
		name = "SW"
	}
	return models.Fields{models.OnDevice(name, t.device, t.table, t.nodes, t.cols)}
}
