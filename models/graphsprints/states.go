package graphsprints

import (
	"math"

	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/models/buckets"
	"dgsbench/models/lastwrite"
)

// states is the table of the nodes' states on the device, with its update
// rule. The states are histograms S or, with a projection, products S W.
type states struct {
	device kernels.Device
	nodes  int
	cols   int            // numbers of a state
	table  kernels.Buffer // nodes x cols

	alpha      float32
	forget     forgetting
	buckets    *buckets.Buckets
	projection *projection // nil: the states are histograms

	// What a batch needs.
	finder  *buckets.Finder
	found   kernels.Ints // the buckets of its events
	writes  *lastwrite.Finder
	rows    *rows
	after   kernels.Buffer // new states of nodes
	sources kernels.Buffer // new states of the events' sources, if computed
	move    moves
	index   kernels.Ints // of Gather
}

// gatherRows is how many states Gather is asked for at once, but for those
// of a batch.
const gatherRows = 512

// newStates are those of nodes without events.
func newStates(d kernels.Device, o *Options, b *buckets.Buckets, p *projection, s models.Setup) *states {
	cols, most := b.Size(), 2*s.MaxBatch
	if p != nil {
		cols = p.cols
	}
	return &states{
		device: d, nodes: s.NumNodes, cols: cols, table: d.NewBuffer(s.NumNodes * cols),
		alpha: float32(o.Alpha), forget: newForgetting(o, s.NumNodes), buckets: b, projection: p,
		finder: b.On(d, s.MaxBatch), writes: lastwrite.NewFinder(s.NumNodes), rows: newRows(d, most),
		after: d.NewBuffer(most * cols), move: newMoves(d, most, cols), index: d.NewInts(max(2*most, gatherRows)),
	}
}

// Gather writes the states of the nodes to dst, a row each.
func (t *states) Gather(_ kernels.Device, nodes []int32, dst kernels.Buffer) {
	t.device.WriteInts(t.index, nodes)
	t.device.GatherRows(len(nodes), t.nodes, t.cols, dst, t.table, t.index)
}

// reset forgets all events.
func (t *states) reset() {
	t.device.Zero(t.nodes*t.cols, t.table)
	t.forget.reset()
}

// tensors copies what reset forgets.
func (t *states) tensors() []models.Tensor {
	name := "S"
	if t.projection != nil {
		name = "SW"
	}
	table := models.Tensor{Name: name, Shape: []int{t.nodes, t.cols}, F32: make([]float32, t.nodes*t.cols)}
	t.device.Read(table.F32, t.table)
	return append([]models.Tensor{table}, models.Clone(t.forget.tensors())...)
}

// check refuses what tensors cannot have given.
func (t *states) check(saved []models.Tensor) error {
	if err := models.Check(t.tensors(), saved); err != nil {
		return err
	}
	for _, last := range saved[1:] {
		if err := models.CheckTimes(last, math.MaxFloat64, never); err != nil {
			return err
		}
	}
	return nil
}

// restore puts back what tensors gave.
func (t *states) restore(saved []models.Tensor) {
	t.device.Write(t.table, saved[0].F32)
	for i, own := range t.forget.tensors() {
		copy(own.I64, saved[1+i].I64)
	}
}
