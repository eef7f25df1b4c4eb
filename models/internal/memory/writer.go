package memory

import "dgsbench/kernels"

// writer keeps memories that a program has computed.
type writer struct {
	core        *Core
	staged      kernels.Buffer
	rows, nodes kernels.Ints
}

// newWriter serves so many nodes at once.
func newWriter(c *Core, most int) *writer {
	return &writer{core: c, staged: c.device.NewBuffer(most * c.opts.Size), rows: c.device.NewInts(most), nodes: c.device.NewInts(most)}
}

// write keeps the given rows, of so many of the memories, for the nodes.
func (w *writer) write(memories kernels.Buffer, of int, rows, nodes []int32) {
	d, n, size := w.core.device, len(nodes), w.core.opts.Size
	d.WriteInts(w.rows, rows)
	d.WriteInts(w.nodes, nodes)
	d.GatherRows(n, of, size, w.staged, memories, w.rows)
	d.ScatterRows(n, size, w.core.Net.Buffer(w.core.Table), w.staged, w.nodes)
}
