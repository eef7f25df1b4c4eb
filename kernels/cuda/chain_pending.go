//go:build gpu

package cuda

import (
	"slices"

	"dgsbench/kernels/cuda/driver"
)

// chainRun is a run of a chain that is on the card, as chain.cu wants it.
type chainRun struct {
	chain          *chain
	blocks, shared int
	parameters     [runParameters]uint64 // Run of chain.cu
}

const runParameters = 6

// pendingChains are runs that are not launched yet: one, or two that need
// nothing of each other, which go in one launch. If the next thing that is
// wanted is a result of the last one, that writes it to the host by itself.
type pendingChains struct {
	runs [2]chainRun
	n    int
}

func (p *pendingChains) add(r chainRun) {
	p.runs[p.n] = r
	p.n++
}

// last is the chain of the last run, or nil.
func (p *pendingChains) last() *chain {
	if p.n == 0 {
		return nil
	}
	return p.runs[p.n-1].chain
}

// standsBeside reports whether c can be launched together with what is
// pending, and whatever the order.
func (p *pendingChains) standsBeside(c *chain) bool {
	return p.n == 0 || p.n == 1 && p.runs[0].chain != c && !p.runs[0].chain.clashes(c)
}

// clashes reports whether one chain writes what the other one touches.
func (c *chain) clashes(other *chain) bool { return c.writesFor(other) || other.writesFor(c) }

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

// touches reports whether a call reads or writes any of the card's memory
// there.
func (c *chain) touches(there piece) bool {
	return slices.ContainsFunc(c.calls, func(call chainCall) bool {
		return slices.ContainsFunc(call.operands[:], func(o operand) bool { return o.memory != nil && o.memory.meets(there) })
	})
}

// meets reports whether two pieces have bytes in common.
func (p piece) meets(other piece) bool {
	return p.at < other.at+driver.Ptr(other.bytes) && other.at < p.at+driver.Ptr(p.bytes)
}

// touches reports whether any of the pending chains does.
func (p *pendingChains) touches(there piece) bool {
	return slices.ContainsFunc(p.runs[:p.n], func(r chainRun) bool { return r.chain.touches(there) })
}

// flush puts on the stream what still waits for others.
func (d *Device) flush() {
	d.flushChain()
	d.flushUploads()
}

// flushChain launches the pending chains.
func (d *Device) flushChain() {
	if d.pending.n > 0 {
		d.launchChains(0, 0, 0, 0)
	}
}

// launchChains launches them; answer says what the last one writes to the
// host.
func (d *Device) launchChains(answer ...uint64) {
	p := &d.pending
	first, other := &p.runs[0], &p.runs[1]
	size := driver.Launch{Blocks: [2]int{first.blocks, 1}, Threads: chainThreads, Shared: first.shared}
	if p.n > 1 {
		size.Blocks[0], size.Shared = first.blocks+other.blocks, max(first.shared, other.shared)
	}
	parameters := append([]uint64{whole(first.blocks)}, first.parameters[:]...)
	parameters = append(append(append(parameters, other.parameters[:]...), d.fault()), answer...)
	*p = pendingChains{}
	d.enqueue("chain", size, nil, parameters)
}
