package dgs

import (
	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/models/halves"
	"dgsbench/models/lastwrite"
	"dgsbench/nn"
)

// states is the table S of all nodes' states on the device, and the row
// numbers of one batch.
//
// The table has two halves with a row a node each (package halves). Inference
// reads the current row of a node and writes its other one, so that blocks of a
// batch do not see each other's writes and a batch that fails changes nothing.
// Training works on the first half alone, where compact moves all states.
// ClassifyAhead begins there and writes to the second.
type states struct {
	device kernels.Device
	nodes  int
	size   int            // of a state
	table  kernels.Buffer // 2 nodes x size
	first  kernels.Buffer // nodes x size: its first half
	rowOf  halves.Rows

	finder *lastwrite.Finder
	writes []lastwrite.Write // of the batch: one a node

	// Inference: the table rows that each event reads for its two ends, and
	// those that it writes; halves.Nowhere where a later event writes the node.
	read, written [2][]int32

	// Training: row numbers, in one memory so that they are uploaded together.
	uploads               list
	self, other, event    list // of each write: node, other end, event
	ends                  list // nodes whose states the head reads
	touched, endPositions list // see derivatives
	mixture               kernels.Mixture
	mixtureRows           kernels.MixtureRows // self, other, event
	after                 kernels.Buffer      // new states, a row a write
	gatherIndex           kernels.Ints
	gatherRows            []int32 // the same on the host
}

// The ends of an event.
const source, destination = 0, 1

func newStates(d kernels.Device, n *network, s models.Setup) *states {
	maxWrites := 2 * s.MaxBatch // of a batch
	t := &states{
		device: d, size: n.size, after: d.NewBuffer(maxWrites * n.size), gatherIndex: d.NewInts(max(2*maxWrites, nn.PairChunk)),
	}
	for i := range t.read {
		t.read[i], t.written[i] = make([]int32, s.MaxBatch), make([]int32, s.MaxBatch)
	}
	total := 3*maxWrites + 2*maxWrites + 3*s.MaxBatch + 2*maxWrites
	t.uploads = list{make([]int32, total), d.NewInts(total)}
	first := 0
	next := func(length int) list {
		first += length
		return t.uploads.slice(d, first-length, first)
	}
	t.self, t.other, t.event = next(maxWrites), next(maxWrites), next(maxWrites) // the order is that of upload
	t.ends, t.touched, t.endPositions = next(2*maxWrites), next(3*s.MaxBatch), next(2*maxWrites)
	t.allocate(s.NumNodes)
	t.mixtureRows = kernels.MixtureRows{Self: t.self.onDevice, Other: t.other.onDevice, E: t.event.onDevice}
	t.mixture = kernels.Mixture{Cols: n.size, PerRow: n.opts.Factors == Input, From: &t.mixtureRows}
	return t
}

func (t *states) allocate(nodes int) {
	t.nodes, t.table = nodes, t.device.NewBuffer(2*nodes*t.size)
	t.first = t.device.View(t.table, 0, nodes*t.size)
	t.finder, t.rowOf = lastwrite.NewFinder(nodes), halves.New(nodes)
}

// list is numbers of the host with a copy on the device.
type list struct {
	host     []int32
	onDevice kernels.Ints
}

func (l list) slice(d kernels.Device, lo, hi int) list {
	return list{l.host[lo:hi], d.ViewInts(l.onDevice, lo, hi-lo)}
}

// upload copies the first lists to the device: self and those after it up to
// through.
func (t *states) upload(through list) {
	n := cap(t.uploads.host) - cap(through.host) + len(through.host)
	t.device.WriteInts(t.uploads.onDevice, t.uploads.host[:n])
}

// planInference lists the table rows that each event of the batch reads and
// writes.
func (t *states) planInference(b datasets.Stream) {
	for end, nodes := range [...][]int32{source: b.Src, destination: b.Dst} {
		read, written := t.read[end], t.written[end]
		for k, n := range nodes {
			read[k], written[k] = t.rowOf.Of(n), halves.Nowhere
		}
	}
	t.writes = t.finder.Writes(b)
	for _, w := range t.writes {
		end := destination
		if w.Self == b.Src[w.Event] {
			end = source
		}
		t.written[end][w.Event] = t.rowOf.Free(w.Self)
	}
}

func (t *states) commitInference() {
	for _, w := range t.writes {
		t.rowOf.Swap(w.Self)
	}
}

// compact moves all states to the first half.
func (t *states) compact() {
	n := 0
	move := func() {
		t.upload(t.other)
		t.device.MoveRows(n, t.size, t.first, t.self.onDevice, t.table, t.other.onDevice)
		n = 0
	}
	for node := range t.rowOf.Second() {
		t.self.host[n], t.other.host[n] = node, t.rowOf.Of(node)
		if n++; n == len(t.self.host) {
			move()
		}
	}
	if n > 0 {
		move()
	}
	t.rowOf.Reset()
}

// listWrites lists the writes of the batch. Its first event is row
// firstEvent of the embeddings.
func (t *states) listWrites(b datasets.Stream, firstEvent int) {
	t.writes = t.finder.Writes(b)
	for i, w := range t.writes {
		t.self.host[i], t.other.host[i], t.event.host[i] = t.rowOf.Of(w.Self), t.rowOf.Of(w.Other), w.Event+int32(firstEvent)
	}
}

// mix computes equation 2 for the uploaded self, other and event, n of each.
func (t *states) mix(n int, v values, to kernels.Buffer) { t.device.Mix(t.mixtureOf(n, v), to) }

func (t *states) mixtureOf(n int, v values) *kernels.Mixture {
	m := &t.mixture
	m.Rows, m.Self, m.Other, m.E, m.Alpha, m.Beta = n, t.table, t.table, v.e, v.alpha, v.beta
	return m
}

// Gather copies the current states of the nodes to dst, a row each.
func (t *states) Gather(nodes []int32, dst kernels.Buffer) {
	t.gatherRows = t.rowOf.Append(t.gatherRows[:0], nodes)
	t.device.WriteInts(t.gatherIndex, t.gatherRows)
	t.device.GatherRows(len(nodes), 2*t.nodes, t.size, dst, t.table, t.gatherIndex)
}

func (t *states) reset() {
	t.rowOf.Reset()
	t.device.Zero(t.nodes*t.size, t.first)
}

func (t *states) fields() models.Fields {
	t.compact()
	return models.Fields{models.OnDevice("S", t.device, t.first, t.nodes, t.size)}
}
