package memory

import (
	"dgsbench/kernels"
	"dgsbench/nn"
)

// writer keeps memories that a program has computed.
type writer struct {
	core        *Core
	move        *nn.Move
	rows, nodes []int32
}

// newWriter serves so many nodes at once.
func newWriter(c *Core, most int) *writer {
	return &writer{core: c, move: nn.NewMove(c.device, most, c.opts.Size)}
}

// list says which rows of the memories are for which nodes.
func (w *writer) list(rows, nodes []int32) {
	w.rows, w.nodes = append(w.rows[:0], rows...), append(w.nodes[:0], nodes...)
}

// keep puts them into the table.
func (w *writer) keep(memories kernels.Buffer) {
	w.move.Run(w.core.Net.Buffer(w.core.Table), w.nodes, memories, w.rows)
}
