package memory

import "dgsbench/kernels"

// writer keeps memories that a program has computed.
type writer struct {
	core        *Core
	rows, nodes kernels.Ints
	listed      int
}

// newWriter serves so many nodes at once.
func newWriter(c *Core, most int) *writer {
	return &writer{core: c, rows: c.device.NewInts(most), nodes: c.device.NewInts(most)}
}

// list says which rows of the memories are for which nodes.
func (w *writer) list(rows, nodes []int32) {
	w.core.device.WriteInts(w.rows, rows)
	w.core.device.WriteInts(w.nodes, nodes)
	w.listed = len(nodes)
}

// keep puts them into the table.
func (w *writer) keep(memories kernels.Buffer) {
	w.core.device.MoveRows(w.listed, w.core.opts.Size, w.core.Net.Buffer(w.core.Table), w.nodes, memories, w.rows)
}
