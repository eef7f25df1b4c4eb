package graphsprints

import (
	"dgsbench/kernels"
	"dgsbench/models/lastwrite"
	"dgsbench/nn"
)

// rows are the new states that are to be computed: which old ones and which
// event they are made from.
type rows struct {
	self, other, event []int32
	keep, mix, hit     []float32
	onDevice           kernels.Fold
}

// newRows has room for so many.
func newRows(d kernels.Device, most int) *rows {
	list, numbers := func() kernels.Ints { return d.NewInts(most) }, func() kernels.Buffer { return d.NewBuffer(most) }
	return &rows{onDevice: kernels.Fold{
		Self: list(), Other: list(), Event: list(), Keep: numbers(), Mix: numbers(), Hit: numbers(),
	}}
}

func (r *rows) clear() {
	r.self, r.other, r.event = r.self[:0], r.other[:0], r.event[:0]
	r.keep, r.mix, r.hit = r.keep[:0], r.mix[:0], r.hit[:0]
}

func (r *rows) add(w lastwrite.Write, keep, mix, hit float32) {
	r.self, r.other, r.event = append(r.self, w.Self), append(r.other, w.Other), append(r.event, w.Event)
	r.keep, r.mix, r.hit = append(r.keep, keep), append(r.mix, mix), append(r.hit, hit)
}

// fold brings the rows to the device.
func (r *rows) fold(d kernels.Device) *kernels.Fold {
	f := &r.onDevice
	f.Rows = len(r.self)
	d.WriteInts(f.Self, r.self)
	d.WriteInts(f.Other, r.other)
	d.WriteInts(f.Event, r.event)
	d.Write(f.Keep, r.keep)
	d.Write(f.Mix, r.mix)
	d.Write(f.Hit, r.hit)
	return f
}

// moves are rows that are to be copied into the table.
type moves struct {
	to, from []int32
	move     *nn.Move
}

func newMoves(d kernels.Device, most, cols int) moves { return moves{move: nn.NewMove(d, most, cols)} }

func (m *moves) add(to, from int32) { m.to, m.from = append(m.to, to), append(m.from, from) }

// run copies them and starts anew.
func (m *moves) run(table, src kernels.Buffer) {
	m.move.Run(table, m.to, src, m.from)
	m.to, m.from = m.to[:0], m.from[:0]
}
