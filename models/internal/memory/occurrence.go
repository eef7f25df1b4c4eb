package memory

import (
	"dgsbench/kernels"
	"dgsbench/models/internal/halves"
	"dgsbench/nn"
)

// occurrence is what becomes of the memories of one end of some events: one
// application of the cell to what was kept before the batch. Programs for
// inference fetch what they need, and put the memories away.
type occurrence struct {
	core            *Core
	rows            *nn.Rows
	self, other, dt *nn.Fed // rows of the table; time since the last update
	out             *nn.Node

	selves, others, to []int32 // rows of both ends, and of where the memory is to be kept, or nowhere
	deltas             []float32
	places             kernels.Ints // to
}

// newOccurrence has messages with these features, a row an event.
func newOccurrence(c *Core, name string, rows *nn.Rows, features *nn.Node) (*occurrence, error) {
	o := &occurrence{core: c, rows: rows, places: c.device.NewInts(features.Shape()[0])}
	o.self = c.Net.ListFromHost(name+".self", rows, func() []int32 { return o.selves })
	o.other = c.Net.ListFromHost(name+".other", rows, func() []int32 { return o.others })
	o.dt = c.Net.FromHost(name+".dt", rows, 1, func() []float32 { return o.deltas })
	self, err := nn.Gather(c.Table, o.self.Node)
	if err != nil {
		return nil, err
	}
	other, err := nn.Gather(c.Table, o.other.Node)
	if err != nil {
		return nil, err
	}
	message, err := c.Message(self, other, features, o.dt.Node)
	if err != nil {
		return nil, err
	}
	if o.out, err = c.Apply(message, self); err != nil {
		return nil, err
	}
	c.Net.Drain(o.out, nn.DrainTo(c.opts.Size, func() kernels.Buffer { return c.Net.Buffer(c.Table) }, func() []int32 { return o.to }, nil))
	return o, nil
}

// start empties the list of events.
func (o *occurrence) start() {
	o.selves, o.others, o.to, o.deltas = o.selves[:0], o.others[:0], o.to[:0], o.deltas[:0]
}

// add lists an event. Its memory is not kept.
func (o *occurrence) add(self, other int32, time float64) {
	o.selves, o.others, o.to = append(o.selves, o.core.rows.Of(self)), append(o.others, o.core.rows.Of(other)), append(o.to, halves.Nowhere)
	o.deltas = append(o.deltas, float32(time-o.core.Updated[self]))
}

// keep says that the memory that is listed as number i is kept for the node.
func (o *occurrence) keep(i int, node int32) { o.to[i] = o.core.rows.Free(node) }

// write is for programs that train.
func (o *occurrence) write() {
	o.self.Write()
	o.other.Write()
	o.dt.Write()
	o.core.device.WriteInts(o.places, o.to)
}

// put puts away what a program has computed that trains.
func (o *occurrence) put(memories kernels.Buffer) {
	o.core.device.PutRows(len(o.to), o.core.opts.Size, o.core.Net.Buffer(o.core.Table), memories, o.places)
}
