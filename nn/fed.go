package nn

import (
	"sync/atomic"

	"dgsbench/kernels"

	G "gorgonia.org/gorgonia"
)

// Fed is an input or an index that programs for inference fetch by
// themselves, each block of rows its own, when they run: what it is made from
// must not change before. For programs that train it is written by Write.
type Fed struct {
	Node  *G.Node
	rows  *Rows
	write func() // all active rows
}

// FromHost is an input of rows x cols numbers that the host has.
func (g *Graph) FromHost(name string, rows *Rows, cols int, host func() []float32) *Fed {
	return g.fed(name, rows, cols, func(p Part) func() {
		return func() { p.Device.Write(p.At, host()[p.First*cols:][:p.Rows()*cols]) }
	})
}

// FromTable is an input of rows of a table, cols wide, that the host lists.
func (g *Graph) FromTable(name string, rows *Rows, cols int, table func() kernels.Buffer, list func() []int32) *Fed {
	return g.fed(name, rows, cols, func(p Part) func() {
		index := p.Device.NewInts(p.Most)
		return func() {
			from := table()
			p.Device.WriteInts(index, list()[p.First:][:p.Rows()])
			p.Device.GatherRows(p.Rows(), from.Len()/cols, cols, p.At, from, index)
		}
	})
}

func (g *Graph) fed(name string, rows *Rows, cols int, feed Feed) *Fed {
	f := &Fed{Node: g.Input(name, rows, cols), rows: rows}
	g.Feed(f.Node, feed)
	f.write = feed(Part{Device: g.device, At: g.Buffer(f.Node), Most: rows.capacity, active: &rows.active})
	return f
}

// ListFromHost is an index that the host has.
func (g *Graph) ListFromHost(name string, rows *Rows, host func() []int32) *Fed {
	f := &Fed{Node: g.Index(name, rows), rows: rows}
	g.leaves[name].list = host
	to := g.Ints(f.Node)
	f.write = func() { g.device.WriteInts(to, host()[:rows.active]) }
	return f
}

// Write writes the active rows.
func (f *Fed) Write() {
	if f.rows.active > 0 {
		f.write()
	}
}

// Finite is a Feed of cols numbers a row that the host has, as FromHost. It
// sets bad where one of them is not finite.
func Finite(cols int, host func() []float32, bad *atomic.Bool) Feed {
	return func(p Part) func() {
		return func() {
			x := host()[p.First*cols:][:p.Rows()*cols]
			p.Device.Write(p.At, x)
			if !p.Device.Finite(len(x), p.At) {
				bad.Store(true)
			}
		}
	}
}

// DrainTo is a Drain: row i of the value goes to the row of a table, cols
// wide, that the host lists as number i; nowhere if that is below zero. No row
// is listed twice.
func DrainTo(cols int, table func() kernels.Buffer, list func() []int32) Drain {
	return func(p Part) func() {
		index := p.Device.NewInts(p.Most)
		return func() {
			p.Device.WriteInts(index, list()[p.First:][:p.Rows()])
			p.Device.PutRows(p.Rows(), cols, table(), p.At, index)
		}
	}
}
