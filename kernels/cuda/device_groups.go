//go:build gpu

package cuda

import (
	"slices"

	"dgsbench/kernels"
	"dgsbench/kernels/cuda/driver"
)

// group is a list of buffers, with a table as in tables.h.
type group struct {
	buffers []buffer
	table   words
	parts   int // blocks of threads that have all numbers
}

// Buffers is how many there are.
func (g *group) Buffers() int { return len(g.buffers) }

// addressWords is how many numbers an address takes the room of.
const addressWords = 2

// NewGroup lists buffers.
func (d *Device) NewGroup(buffers ...kernels.Buffer) kernels.Group {
	g, entries, parts := &group{}, []uint64{}, []uint64{}
	for i, b := range buffers {
		g.buffers = append(g.buffers, b.(buffer))
		entries = append(entries, at(b, b.Len()), uint64(b.Len()))
		for first := 0; first < b.Len(); first += mostThreads {
			parts = append(parts, uint64(first)<<32|uint64(i))
		}
	}
	table := slices.Concat(entries, parts)
	g.parts = len(parts)
	g.table = d.zeros(addressWords * len(table))
	d.upload(g.table, bytesOf(table))
	return g
}

// where is the address of the table.
func where(g kernels.Group) uint64 { return uint64(g.(*group).table.at) }

// eachMember launches a kernel with a thread for each number of a group; its
// first parameters are how many buffers the group has, and its table.
func (d *Device) eachMember(name string, g kernels.Group, parameters ...uint64) {
	all := g.(*group)
	if all.parts == 0 {
		return
	}
	size := driver.Launch{Blocks: [2]int{all.parts, 1}, Threads: mostThreads}
	d.put(name, size, []uint64{whole(all.Buffers()), where(g)}, parameters)
}

// Adam makes one step.
func (d *Device) Adam(p, g, m, v kernels.Group, s kernels.AdamStep) {
	params := p.(*group)
	kernels.CheckGroups(params.buffers, g.(*group).buffers, m.(*group).buffers, v.(*group).buffers)
	d.eachMember("adam", p, where(g), where(m), where(v), single(s.Size), single(s.Root), single(s.Beta1), single(s.Rest1),
		single(s.Beta2), single(s.Rest2), single(s.Eps), single(s.WeightDecay), d.note(noteBad))
}

// Momentum makes one step of stochastic gradient descent.
func (d *Device) Momentum(p, g, v kernels.Group, rate, momentum, decay float64) {
	params := p.(*group)
	kernels.CheckGroups(params.buffers, g.(*group).buffers, v.(*group).buffers)
	d.eachMember("momentum", p, where(g), where(v), single(rate), single(momentum), single(decay), d.note(noteBad))
}
