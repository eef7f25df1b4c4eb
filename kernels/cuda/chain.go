//go:build gpu

package cuda

import (
	"fmt"
	"slices"

	"dgsbench/kernels"
	"dgsbench/kernels/cuda/driver"
)

// chainThreads is the threads of a block. There are few blocks, so each has as
// many as the kernels are compiled for.
const chainThreads = 512

// chain is a kernels.Fused: it records calls, and launches them as one. A block
// of threads computes some rows through all calls, with what is in between in
// shared memory. The calls that it has are in chain_calls.go; those of the Device
// that it embeds, nil, are not for it.
type chain struct {
	kernels.Device
	on      *Device
	maxRows int

	width, vector int // numbers of its own buffers: of a row, and without rows

	rows    int // of this run
	run     int // its number
	calls   []chainCall
	parts   [][]byte // of what is sent: the calls, then what the host has written
	staged  int      // bytes that the host has written
	encoded []cardCall
	memory  words // of the card, for calls and what is staged
	outside words // likewise, for numbers that do not fit in shared memory

	reads, writes []operand // since the last barrier
}

func (d *Device) Fuse(rows int) kernels.Fused { return &chain{on: d, maxRows: max(rows, 1)} }

func (c *chain) Begin(rows int) {
	if rows < 1 || rows > c.maxRows {
		panic(fmt.Sprintf("cuda: a chain of %d rows, made for %d", rows, c.maxRows))
	}
	c.rows = rows
	c.run++
	c.calls = c.calls[:0]
	c.parts, c.staged = append(c.parts[:0], nil), 0
}

// End puts the calls on the card. They are launched as soon as anything is asked
// for that may depend on them.
func (c *chain) End() {
	d := c.on
	if n := len(d.pending); n > 1 || n == 1 && (d.pending[0].chain == c || d.pending[0].chain.conflicts(c)) {
		d.flushChains()
	}
	d.flushUploads()
	c.joinProducts()
	c.setBarriers()
	size := c.size()
	list := c.send(size)
	blocks := (c.rows + size.rows - 1) / size.rows
	shared, outside := c.allocate(size, blocks)
	d.pending = append(d.pending, chainRun{
		chain: c, blocks: blocks, shared: shared, parameters: runParameters{
			intParam(size.rows), intParam(len(c.calls)), uint64(list), intParam(size.own), outside, intParam(size.own + size.partial),
		},
	})
}

// chainRun is a run of a chain that is on the card but not launched: there are at
// most two, which do not conflict and go in one launch. If the next thing asked for
// is a result of the last one, that writes it to the host by itself.
type chainRun struct {
	chain          *chain
	blocks, shared int
	parameters     runParameters
}

// runParameters are those of Run of chain.cu.
type runParameters [6]uint64

// conflicts reports whether one chain writes what the other one reads or writes.
func (c *chain) conflicts(other *chain) bool { return c.writesFor(other) || other.writesFor(c) }

func (c *chain) writesFor(other *chain) bool {
	for _, call := range c.calls {
		for _, o := range call.operands[:call.results] {
			if o.memory != nil && other.touches(o.memory.piece) {
				return true
			}
		}
	}
	return false
}

// touches reports whether a call reads or writes this memory.
func (c *chain) touches(p piece) bool {
	return slices.ContainsFunc(c.calls, func(call chainCall) bool {
		return slices.ContainsFunc(call.operands[:], func(o operand) bool { return o.memory != nil && o.memory.overlaps(p) })
	})
}

// flushChains launches the pending chains.
func (d *Device) flushChains() {
	if len(d.pending) > 0 {
		d.launchChains(0, 0, 0, 0)
	}
}

// launchChains launches them; answer says what the last one writes to the host.
func (d *Device) launchChains(answer ...uint64) {
	first, other := d.pending[0], chainRun{}
	size := driver.Launch{Blocks: [2]int{first.blocks, 1}, Threads: chainThreads, Shared: first.shared}
	if len(d.pending) > 1 {
		other = d.pending[1]
		size.Blocks[0], size.Shared = first.blocks+other.blocks, max(first.shared, other.shared)
	}
	var stack [maxParameters]uint64
	parameters := append(append(stack[:0], intParam(first.blocks)), first.parameters[:]...)
	parameters = append(append(append(parameters, other.parameters[:]...), d.fault()), answer...)
	clear(d.pending)
	d.pending = d.pending[:0]
	d.enqueue("chain", size, nil, parameters)
}

// readResult has the last pending chain write src to the host, if it is a result.
func (d *Device) readResult(dst []float32, src kernels.Buffer) bool {
	if len(d.pending) == 0 {
		return false
	}
	last := d.pending[len(d.pending)-1].chain
	if !last.wrote(src, len(dst)) {
		return false
	}
	pinned := d.pinned(lineBytes + len(dst)*wordBytes)
	clear(pinned[:lineBytes])
	d.launchChains(intParam(last.rows), intParam(len(dst)/last.rows), at(src, len(dst)), address(pinned))
	d.flushUploads()
	d.work.Waits++
	if d.tape != nil {
		clear(dst)
		d.tape.results = append(d.tape.results, result{nil, pinned}, result{bytesOf(dst), pinned[lineBytes:]})
		return true
	}
	d.card.must(func() error { return d.card.Sync(d.stream) })
	copy(bytesOf(dst), pinned[lineBytes:])
	d.checkRange(pinned[0] != 0)
	return true
}

// wrote reports whether the last run has written these n numbers as its rows.
func (c *chain) wrote(b kernels.Buffer, n int) bool {
	if n > halfBytes/wordBytes-lineBytes {
		return false
	}
	return slices.ContainsFunc(c.calls, func(call chainCall) bool {
		return call.rows == c.rows && call.cols*call.rows == n &&
			slices.ContainsFunc(call.operands[:call.results], func(o operand) bool { return o.own == nil && o.at == at(b, n) })
	})
}

// joinProducts makes one call of two products with the same weights that
// follow each other, so that a block reads these once: both ends of events go
// through the same layers.
func (c *chain) joinProducts() {
	calls := c.calls[:0]
	for _, call := range c.calls {
		if n := len(calls); n > 0 && calls[n-1].canJoin(&call) {
			calls[n-1].operands[1], calls[n-1].operands[3] = call.operands[0], call.operands[2]
			continue
		}
		calls = append(calls, call)
	}
	c.calls = calls
}

// canJoin reports whether two products can be one call.
func (p *chainCall) canJoin(next *chainCall) bool {
	same := p.isProduct() && !p.isPair() && p.code == next.code && p.rows == next.rows && p.cols == next.cols &&
		p.inner == next.inner && p.choice == next.choice && p.operands[4] == next.operands[4] && p.operands[5] == next.operands[5]
	if !same {
		return false
	}
	out, in, nextOut, nextIn := p.operands[0], p.operands[2], next.operands[0], next.operands[2]
	return !out.shares(nextOut) && !out.shares(nextIn) && !in.shares(nextOut)
}

// setBarriers marks the calls before which the threads of a block wait for each
// other: those that touch what another one wrote since the last barrier, or write
// what another one read.
func (c *chain) setBarriers() {
	read, written, sums := c.reads[:0], c.writes[:0], false // sums: the memory of partial sums is written
	for i := range c.calls {
		call := &c.calls[i]
		results, operands := call.operands[:call.results], call.operands[call.results:]
		needed := sums && call.slices > 1
		for _, o := range operands {
			needed = needed || slices.ContainsFunc(written, o.shares)
		}
		for _, o := range results {
			needed = needed || slices.ContainsFunc(read, o.shares) || slices.ContainsFunc(written, o.overlaps)
		}
		if needed {
			read, written, sums = read[:0], written[:0], false
		}
		read, written, sums = append(read, operands...), append(written, results...), sums || call.slices > 1
		call.barrier = needed
	}
	c.reads, c.writes = read, written
}

// overlaps reports whether two results may have numbers in common: disjoint
// columns of a matrix have none.
func (o operand) overlaps(other operand) bool {
	disjoint := o.columns && other.columns && (o.offset+o.width <= other.offset || other.offset+other.width <= o.offset)
	return o.shares(other) && !disjoint
}

// shares reports whether both are in the same memory, a block's or the card's.
// Staged operands are in neither: these are read-only and need no barrier.
func (o operand) shares(other operand) bool {
	return o.own != nil && o.own == other.own || o.memory != nil && o.memory == other.memory
}
