package dgs

import "dgsbench/kernels"

// drive computes what a write adds to the Jacobian by W beside the old ones:
// (1-beta) (1-alpha) dE/dz of its event, for all lanes.
//
// State r of every block at once: pulling the gradient (1-beta) (1-alpha)
// back through the normalisation, zero but for these states, gives their
// derivatives by all rows of their blocks.
type drive struct {
	device  kernels.Device
	opts    *Options
	size    int
	h, kept int
	lanes   int
	masks   []kernels.Buffer // one for each r: ones at the states r of all blocks
	parts   []kernels.Buffer // the lanes of each r within Drive
	e, z    kernels.Buffer   // a row a write
	picked  kernels.Buffer
	pulled  kernels.Buffer
	packed  kernels.Buffer // pulled without the rows that are not kept
}

func newDrive(d kernels.Device, n *network, to kernels.Buffer, lanes, most int) *drive {
	v := &drive{device: d, opts: n.opts, size: n.size, lanes: lanes}
	v.h, v.kept = blockSize(n.opts)
	rows := func() kernels.Buffer { return d.NewBuffer(most * n.size) }
	v.e, v.z, v.picked, v.pulled, v.packed = rows(), rows(), rows(), rows(), rows()
	mask := make([]float32, most*n.size)
	for r := range v.h {
		clear(mask)
		for j := r; j < len(mask); j += v.h {
			mask[j] = 1
		}
		v.masks = append(v.masks, rows())
		d.Write(v.masks[r], mask)
		offset := r * n.opts.Blocks * v.kept
		v.parts = append(v.parts, d.View(to, offset, to.Len()-offset))
	}
	return v
}

// embedding fills in the lanes of W; p is (1-beta) (1-alpha), a row a write.
func (v *drive) embedding(writes, events int, t *states, p kernels.Buffer, x values) {
	d, n := v.device, writes*v.size
	d.GatherRows(writes, events, v.size, v.e, x.e, t.from.E)
	d.GatherRows(writes, events, v.size, v.z, x.z, t.from.E)
	pull := normalisations[v.opts.Embedding].pull
	width := v.opts.Blocks * v.kept
	for r, mask := range v.masks {
		d.Mul(n, v.picked, p, mask)
		pull(d, n, v.h, v.opts, v.pulled, v.picked, v.e, v.z)
		from := v.pulled
		if v.kept < v.h {
			d.CopyRows(writes*v.opts.Blocks, v.kept, v.packed, v.kept, v.pulled, v.h)
			from = v.packed
		}
		d.CopyRows(writes, width, v.parts[r], v.lanes, from, width)
	}
}
