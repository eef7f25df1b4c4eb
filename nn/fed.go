package nn

import (
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
	feed := func(p Part) func() {
		return func() { p.Device.Write(p.At, host()[p.First*cols:][:p.Rows()*cols]) }
	}
	f := g.fed(name, rows, cols, feed)
	f.write = feed(g.whole(f))
	return f
}

// FromTable is an input of rows of a table, cols wide, that the host lists.
// What Write writes are the rows' numbers: they are fetched Later.
func (g *Graph) FromTable(name string, rows *Rows, cols int, table func() kernels.Buffer, list func() []int32) *Fed {
	fetching := func(p Part) (write, fetch func()) {
		index := p.Device.NewInts(p.Most)
		write = func() { p.Device.WriteInts(index, list()[p.First:][:p.Rows()]) }
		fetch = func() {
			from := table()
			p.Device.GatherRows(p.Rows(), from.Len()/cols, cols, p.At, from, index)
		}
		return write, fetch
	}
	f := g.fed(name, rows, cols, func(p Part) func() {
		write, fetch := fetching(p)
		return func() {
			write()
			fetch()
		}
	})
	write, fetch := fetching(g.whole(f))
	f.write = func() {
		write()
		g.Later(fetch)
	}
	return f
}

func (g *Graph) fed(name string, rows *Rows, cols int, feed Feed) *Fed {
	f := &Fed{Node: g.Input(name, rows, cols), rows: rows}
	g.Feed(f.Node, feed)
	return f
}

// whole is all rows of an input.
func (g *Graph) whole(f *Fed) Part {
	return Part{Device: g.device, At: g.Buffer(f.Node), Most: f.rows.capacity, active: &f.rows.active}
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
