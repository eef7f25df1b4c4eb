package nn

import "dgsbench/kernels"

// Move copies rows from one table to another, by lists that the host has. On a
// device where calls cost it is a chain of its own: its lists go with it, and it
// may go together with the next chain.
type Move struct {
	device   kernels.Device
	cols     int
	from, to kernels.Ints
	chain    kernels.Fused // nil where there is none
	rows     kernels.Buffer
}

// NewMove serves so many rows of so many columns at once.
func NewMove(d kernels.Device, rows, cols int) *Move {
	m := &Move{device: d, cols: cols}
	if chaining, ok := d.(kernels.Fuser); ok {
		m.chain = chaining.Fuse(rows)
		d = m.chain
		m.rows = d.NewBuffer(rows * cols)
	}
	m.from, m.to = d.NewInts(rows), d.NewInts(rows)
	return m
}

// Run copies row from[i] of src to row to[i] of dst. No row is in to twice.
func (m *Move) Run(dst kernels.Buffer, to []int32, src kernels.Buffer, from []int32) {
	n := len(to)
	if n == 0 || m.cols == 0 {
		return
	}
	if m.chain == nil {
		m.device.WriteInts(m.to, to)
		m.device.WriteInts(m.from, from)
		m.device.MoveRows(n, m.cols, dst, m.to, src, m.from)
		return
	}
	m.chain.Begin(n)
	m.chain.WriteInts(m.from, from)
	m.chain.WriteInts(m.to, to)
	m.chain.GatherRows(n, src.Len()/m.cols, m.cols, m.rows, src, m.from)
	m.chain.PutRows(n, m.cols, dst, m.rows, m.to)
	m.chain.End()
}
