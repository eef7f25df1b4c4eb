package memory

import "dgsbench/nn"

// occurrence is what becomes of the memories of one end of some events: one
// application of the cell to what was kept before the batch.
type occurrence struct {
	core            *Core
	rows            *nn.Rows
	self, other, dt *nn.Node // nodes; time since the last update
	out             *nn.Node

	selves, others []int32
	deltas         []float32
}

// newOccurrence has messages with these features, a row an event.
func newOccurrence(c *Core, name string, rows *nn.Rows, features *nn.Node) (*occurrence, error) {
	o := &occurrence{core: c, rows: rows}
	o.self, o.other = c.Net.Index(name+".self", rows), c.Net.Index(name+".other", rows)
	o.dt = c.Net.Input(name+".dt", rows, 1)
	self, err := nn.Gather(c.Table, o.self)
	if err != nil {
		return nil, err
	}
	other, err := nn.Gather(c.Table, o.other)
	if err != nil {
		return nil, err
	}
	message, err := c.Message(self, other, features, o.dt)
	if err != nil {
		return nil, err
	}
	o.out, err = c.Apply(message, self)
	return o, err
}

// start empties the list of events.
func (o *occurrence) start() {
	o.selves, o.others, o.deltas = o.selves[:0], o.others[:0], o.deltas[:0]
}

// add lists an event.
func (o *occurrence) add(self, other int32, time float64) {
	o.selves, o.others = append(o.selves, self), append(o.others, other)
	o.deltas = append(o.deltas, float32(time-o.core.Updated[self]))
}

// write puts the list on the device.
func (o *occurrence) write() {
	d, net := o.core.device, o.core.Net
	o.rows.Set(len(o.selves))
	d.WriteInts(net.Ints(o.self), o.selves)
	d.WriteInts(net.Ints(o.other), o.others)
	d.Write(net.Buffer(o.dt), o.deltas)
}
