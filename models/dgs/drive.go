package dgs

import (
	"dgsbench/kernels"
	"dgsbench/models/internal/lastwrite"
)

// drive computes what a write adds to the Jacobian by W beside the old ones:
// (1-beta) (1-alpha) dE/dz of its event, for all lanes.
//
// State r of every block at once: pulling the gradient (1-beta) (1-alpha)
// back through the normalisation, zero but for these states, gives their
// derivatives by all rows of their blocks. A pull has a row for each write
// and each of some r, as many as its device likes.
type drive struct {
	device  kernels.Device
	opts    *Options
	size    int
	h, kept int
	lanes   int
	each    int              // r of a pull
	masks   []kernels.Buffer // one for each pull: ones at its states
	parts   []kernels.Buffer // the lanes of each pull within Drive
	events  list             // event of each row
	writes  kernels.Ints     // write of each row; nil where they are the same
	p, e, z kernels.Buffer   // a row each; p where a write has several
	picked  kernels.Buffer
	pulled  kernels.Buffer
	packed  kernels.Buffer // pulled without the rows that are not kept
}

func newDrive(n *network, t *states, to kernels.Buffer, lanes, most int) *drive {
	d := t.device
	v := &drive{device: d, opts: n.opts, size: n.size, lanes: lanes, each: t.pulls, events: t.rows.event}
	v.h, v.kept = blockSize(n.opts)
	rows := func() kernels.Buffer { return d.NewBuffer(most * v.each * n.size) }
	v.e, v.z, v.picked, v.pulled, v.packed = rows(), rows(), rows(), rows(), rows()
	for r := 0; r < v.h; r += v.each {
		mask := rows()
		d.Write(mask, v.states(r, most))
		offset := r * n.opts.Blocks * v.kept
		v.masks, v.parts = append(v.masks, mask), append(v.parts, d.View(to, offset, to.Len()-offset))
	}
	if v.each > 1 {
		v.events = t.rows.pulls
		writes := make([]int32, most*v.each)
		for i := range writes {
			writes[i] = int32(i / v.each)
		}
		v.p, v.writes = rows(), d.NewInts(len(writes))
		d.WriteInts(v.writes, writes)
	}
	return v
}

// pullsAtOnce is how many states of a block a pull has: one where calls are
// best small, or else as many as fit into some megabytes.
func pullsAtOnce(d kernels.Device, n *network, writes int) int {
	const most = 1 << 23 // numbers
	if n.w == nil || !d.Wide() {
		return 1
	}
	h, _ := blockSize(n.opts)
	for each := h; each > 1; each-- {
		if h%each == 0 && each*writes*n.size <= most {
			return each
		}
	}
	return 1
}

// states has ones at the states of a pull that begins with state r.
func (v *drive) states(r, writes int) []float32 {
	mask := make([]float32, writes*v.each*v.size)
	for row := range writes * v.each {
		for j := r + row%v.each; j < v.size; j += v.h {
			mask[row*v.size+j] = 1
		}
	}
	return mask
}

// list lists the events of the rows, not yet on the device.
func (v *drive) list(writes []lastwrite.Write) {
	if v.each == 1 {
		return // they are those of the writes
	}
	for i := range len(writes) * v.each {
		v.events.host[i] = writes[i/v.each].Event
	}
}

// embedding fills in the lanes of W; p is (1-beta) (1-alpha), a row a write.
func (v *drive) embedding(writes, events int, p kernels.Buffer, x values) {
	d, o, rows := v.device, v.opts, writes*v.each
	n, way := rows*v.size, normalisations[o.Embedding]
	d.GatherRows(rows, events, v.size, v.e, x.e, v.events.on)
	if way.readsZ {
		d.GatherRows(rows, events, v.size, v.z, x.z, v.events.on)
	}
	if v.each > 1 {
		d.GatherRows(rows, writes, v.size, v.p, p, v.writes)
		p = v.p
	}
	for i, mask := range v.masks {
		d.Mul(n, v.picked, p, mask)
		way.pull(d, n, v.h, o, v.pulled, v.picked, v.e, v.z)
		v.keep(writes, v.parts[i])
	}
}

// keep copies what is kept of a pull to its lanes.
func (v *drive) keep(writes int, lanes kernels.Buffer) {
	blocks := v.each * v.opts.Blocks
	width := blocks * v.kept
	if v.kept == v.h {
		v.device.CopyRows(writes, width, lanes, v.lanes, v.pulled, width)
		return
	}
	if width == v.lanes { // no gaps
		v.device.CopyRows(writes*blocks, v.kept, lanes, v.kept, v.pulled, v.h)
		return
	}
	v.device.CopyRows(writes*blocks, v.kept, v.packed, v.kept, v.pulled, v.h)
	v.device.CopyRows(writes, width, lanes, v.lanes, v.packed, width)
}
