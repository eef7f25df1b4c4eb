package nn

import (
	"math"
	"sync/atomic"
	"unsafe"

	"dgsbench/kernels"

	G "gorgonia.org/gorgonia"
)

// Feed prepares the filling of some rows of an input. What it returns is run
// for every batch, before the rows are read; other rows may be filled at the
// same time. It allocates nothing.
type Feed func(p Part) func()

// Drain prepares what is done with some rows of a value as soon as they are
// there. What it returns is run for every batch; other rows may be worked on
// at the same time. It allocates nothing.
type Drain func(p Part) func()

// Part is a block of rows.
type Part struct {
	Device  kernels.Device // to be used, and no other
	At      kernels.Buffer // the rows: of an input, to be filled, or of a value
	First   int            // number of the first one within the batch
	MaxRows int
	active  *int
}

// Rows is how many of the rows are active, now.
func (p Part) Rows() int { return *p.active }

// Feed lets programs for inference that are compiled from here on fill an
// input by themselves, block by block, where they need it. For others it is
// written as any input.
func (g *Graph) Feed(n *G.Node, f Feed) { g.leaves[n.Name()].feed = f }

// Drain lets programs for inference that are compiled from here on hand the
// rows of a value on, block by block, if it is one of their outputs. They do
// not keep it.
func (g *Graph) Drain(n *G.Node, f Drain) { g.drains[n.ID()] = f }

// FromHost is an input of rows x cols numbers that the host has. Programs for
// inference fetch what is made by FromHost, FromTable and ListFromHost by
// themselves, each block of rows its own; a Training writes it when it runs.
// What it is made from must not change before.
func (g *Graph) FromHost(name string, rows *Rows, cols int, host func() []float32) *G.Node {
	feed := FromHostWithin(cols, host, nil)
	n, l, whole := g.fed(name, rows, cols, feed)
	l.write = feed(whole)
	return n
}

// FromTable is an input of rows of a table, cols wide, that the host lists.
// What a Training writes are the rows' numbers: they are fetched at Flush.
func (g *Graph) FromTable(name string, rows *Rows, cols int, table func() kernels.Buffer, list func() []int32) *G.Node {
	fetching := func(p Part) (write, fetch func()) {
		index := p.Device.NewInts(p.MaxRows)
		write = func() { p.Device.WriteInts(index, list()[p.First:][:p.Rows()]) }
		fetch = func() {
			from := table()
			p.Device.GatherRows(p.Rows(), from.Len()/cols, cols, p.At, from, index)
		}
		return write, fetch
	}
	n, l, whole := g.fed(name, rows, cols, func(p Part) func() {
		write, fetch := fetching(p)
		return func() {
			write()
			fetch()
		}
	})
	write, fetch := fetching(whole)
	l.write = func() {
		write()
		g.Defer(fetch)
	}
	return n
}

// fed is an input with a feed, and all of its rows.
func (g *Graph) fed(name string, rows *Rows, cols int, feed Feed) (*G.Node, *leaf, Part) {
	n, l := g.Input(name, rows, cols), g.leaves[name]
	g.Feed(n, feed)
	return n, l, Part{Device: g.device, At: l.buffer, MaxRows: rows.capacity, active: &rows.active}
}

// ListFromHost is an index that the host has.
func (g *Graph) ListFromHost(name string, rows *Rows, host func() []int32) *G.Node {
	n, l := g.Index(name, rows), g.leaves[name]
	l.list, l.write = host, func() { g.device.WriteInts(l.ints, host()[:rows.active]) }
	return n
}

// FromHostWithin is a Feed of cols numbers a row that the host has. It sets
// bad, unless that is nil, where one of them is not Within.
func FromHostWithin(cols int, host func() []float32, bad *atomic.Bool) Feed {
	return func(p Part) func() {
		return func() {
			x := host()[p.First*cols:][:p.Rows()*cols]
			p.Device.Write(p.At, x)
			if bad != nil && !Within(x) {
				bad.Store(true)
			}
		}
	}
}

// DrainTo is a Drain: row i of the value goes to the row of a table, cols
// wide, that the host lists as number i; nowhere if that is below zero. No row
// is listed twice. It sets bad, where that is not nil, if a number is not
// finite; a kernels.Fused skips the check: it would wait for each batch.
func DrainTo(cols int, table func() kernels.Buffer, list func() []int32, bad *atomic.Bool) Drain {
	return func(p Part) func() {
		index := p.Device.NewInts(p.MaxRows)
		_, fused := p.Device.(kernels.Fused)
		return func() {
			p.Device.WriteInts(index, list()[p.First:][:p.Rows()])
			p.Device.PutRows(p.Rows(), cols, table(), p.At, index)
			if bad != nil && !fused && !p.Device.IsFinite(p.Rows()*cols, p.At) {
				bad.Store(true)
			}
		}
	}
}

// Largest is the largest magnitude of a number that networks are fed: a
// product of it with parameters, and the square of a gradient by them, are
// far from the end of float32.
const Largest = 1e15

// Within reports whether all numbers are within +-Largest; NaN is not.
func Within(x []float32) bool {
	const (
		signs  = 1<<63 | 1<<31
		beyond = math.MaxInt32 - 0x58635fa9 // what is missing from the bits of Largest to the sign
	)
	var found uint64 // in the places of the signs, of two numbers at a time
	if len(x) > 1 {  // for the checks of pointers under -race
		for _, two := range unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(x))), len(x)/2) {
			found |= two&^signs + (beyond<<32 | beyond)
		}
	}
	if len(x)%2 > 0 {
		found |= uint64(math.Float32bits(x[len(x)-1])&^(1<<31) + beyond)
	}
	return found&signs == 0
}
