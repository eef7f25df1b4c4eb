package nn

import (
	"slices"

	"dgsbench/kernels"
)

// stage is a part of a program: calls one after another, then sections that
// do not read each other, divided over the device's threads.
type stage struct {
	device   kernels.Device
	calls    []func()
	sections []*section
	work     func(thread int) // that of one thread in the sections
}

// section is a chain of operations on the same active rows, compiled for each
// block of them.
type section struct {
	rows   *int
	blocks []*block // number i is of thread i modulo their number
}

// block is some of the rows.
type block struct {
	first, size int
	active      int // rows, now
	calls       []func()
	asOne       kernels.Fused // what the calls are made on, where a device has that
}

// run makes the calls.
func (b *block) run() {
	if b.asOne != nil {
		b.asOne.Begin(b.active)
	}
	for _, call := range b.calls {
		call()
	}
	if b.asOne != nil {
		b.asOne.End()
	}
}

// blockRows limits the rows of a block: at most max, or up to wide while their values
// together are no more than numbers. The last block may have fewer than min.
type blockRows struct{ min, max, wide, numbers int }

// usualBlocks are large enough to be worth waking a thread, and so small that
// what they compute about fills a core's cache of half a megabyte.
var usualBlocks = blockRows{16, 32, 128, 1 << 17}

// of is how many rows of width numbers a block has, so that all threads get about
// as many of a full batch. One thread takes all in one: blocks bring it nothing,
// and an accelerator wants large calls.
func (r blockRows) of(capacity, threads, width int) int {
	if threads == 1 || capacity == 0 {
		return capacity
	}
	most := threads * max(r.max, min(r.wide, r.numbers/width))
	rounds := (capacity + most - 1) / most
	return max(r.min, (capacity+rounds*threads-1)/(rounds*threads))
}

func (s *stage) run() {
	for _, call := range s.calls {
		call()
	}
	switch {
	case len(s.sections) == 0:
	case s.shared():
		s.device.Parallel(s.work)
	default:
		s.runThread(0)
	}
}

// shared reports whether there is work for a second thread.
func (s *stage) shared() bool {
	if s.device.Threads() == 1 {
		return false
	}
	for _, section := range s.sections {
		if len(section.blocks) > 1 && section.blocks[1].first < *section.rows {
			return true
		}
	}
	return false
}

// runThread runs a thread's blocks.
func (s *stage) runThread(thread int) {
	threads := s.device.Threads()
	for _, section := range s.sections {
		for i := thread; i < len(section.blocks); i += threads {
			b := section.blocks[i]
			if b.first >= *section.rows {
				break
			}
			b.active = min(b.size, *section.rows-b.first)
			b.run()
		}
	}
}

// Repeated is calls that are made for batch after batch, most of them of the
// same sizes. Where the device can, they then are made at once.
type Repeated struct {
	graph  *Graph
	calls  func()
	sizes  []*int           // active rows
	device kernels.Repeater // nil where it cannot
	now    []int            // sizes
	known  []*repetition    // at most knownSizes, the oldest first
}

// repetition is the prepared calls for one set of sizes.
type repetition struct {
	sizes []int
	again func() // nil after the first run
}

// knownSizes are those of a full batch, of the last one of an epoch, and some
// more.
const knownSizes = 4

// RepeatedCalls is calls of kernels and programs that write nothing from the
// host and wait for nothing. They depend on no other sizes than the programs.
func (g *Graph) RepeatedCalls(calls func(), programs ...*Program) *Repeated {
	r := &Repeated{graph: g, calls: calls}
	for _, p := range programs {
		r.sizes = append(r.sizes, p.sizes...)
	}
	r.now = make([]int, len(r.sizes))
	r.device, _ = g.device.(kernels.Repeater)
	return r
}

// Run makes all calls.
func (r *Repeated) Run() {
	r.graph.Flush()
	if r.device == nil {
		r.calls()
		return
	}
	r.graph.pad()
	defer r.graph.unpad()
	for i, n := range r.sizes {
		r.now[i] = *n
	}
	k := r.find()
	if k == nil {
		r.calls()
		return
	}
	if k.again == nil {
		k.again = r.device.Prepare(r.calls)
	}
	k.again()
}

// find is what is known of the present sizes. It notes them, and returns nil,
// if they are new.
func (r *Repeated) find() *repetition {
	for _, k := range r.known {
		if slices.Equal(k.sizes, r.now) {
			return k
		}
	}
	if len(r.known) == knownSizes {
		r.known = slices.Delete(r.known, 0, 1)
	}
	r.known = append(r.known, &repetition{sizes: slices.Clone(r.now)})
	return nil
}

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

// NewMove copies at most rows rows of cols columns at once.
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
