//go:build gpu

package cuda

import (
	"fmt"

	"dgsbench/kernels"
	"dgsbench/kernels/cuda/driver"
)

// group is a list of buffers, with a table of where they are and where each
// ends among the numbers of all.
type group struct {
	buffers []buffer
	table   words // two addresses' worth a buffer
	n       int   // numbers of all
}

// Len is how many buffers there are.
func (g *group) Len() int { return len(g.buffers) }

// addressWords is how many numbers an address takes the room of.
const addressWords = 2

// NewGroup lists buffers.
func (d *Device) NewGroup(buffers ...kernels.Buffer) kernels.Group {
	g, table := &group{}, []uint64{}
	for _, b := range buffers {
		g.buffers = append(g.buffers, b.(buffer))
		g.n += b.Len()
		table = append(table, at(b, b.Len()), uint64(g.n))
	}
	g.table = d.zeros(addressWords * len(table))
	d.upload(g.table.at, bytesOf(table))
	return g
}

// where is the address of the table.
func where(g kernels.Group) uint64 { return uint64(g.(*group).table.at) }

// Adam makes one step.
func (d *Device) Adam(p, g, m, v kernels.Group, s kernels.AdamStep) {
	params := p.(*group)
	kernels.CheckGroups(params.buffers, g.(*group).buffers, m.(*group).buffers, v.(*group).buffers)
	number := func(x float32) uint64 { return single(float64(x)) }
	d.each("adam", params.n, whole(params.Len()), where(p), where(g), where(m), where(v), number(s.Size), number(s.Root),
		number(s.Beta1), number(s.Rest1), number(s.Beta2), number(s.Rest2), number(s.Eps), number(s.WeightDecay),
		whole(d.seen.since()), d.note(noteBad))
}

// Momentum makes one step of stochastic gradient descent.
func (d *Device) Momentum(p, g, v kernels.Group, rate, momentum, decay float64) {
	params := p.(*group)
	kernels.CheckGroups(params.buffers, g.(*group).buffers, v.(*group).buffers)
	d.each("momentum", params.n, whole(params.Len()), where(p), where(g), where(v), single(rate), single(momentum), single(decay),
		whole(d.seen.since()), d.note(noteBad))
}

// seen numbers the buffers that the device has looked at since it was asked
// last. A kernel that finds a bad one notes the largest of what is there and
// its own number, which counts down: so the first one stays. What is asked
// later begins above all that was noted before, and nothing need be cleared.
type seen struct {
	turn  int // from 1 on
	count int
}

const (
	mostSeen  = 1 << 12
	mostTurns = 1<<31/mostSeen - 1
)

// since is below all numbers of this turn.
func (s seen) since() int { return s.turn * mostSeen }

// take numbers n buffers; their places begin with first.
func (s *seen) take(n int) (number, first int) {
	first = s.count
	if s.count += n; s.count > mostSeen {
		panic(fmt.Sprintf("cuda: %d buffers were seen, and nobody asked", s.count))
	}
	return s.since() + mostSeen - 1 - first, first
}

// first is the place of the first bad one of this turn, or -1.
func (s seen) first(noted int) int {
	if noted < s.since() {
		return -1
	}
	return s.since() + mostSeen - 1 - noted
}

// Watch forgets what was seen.
func (d *Device) Watch() {
	d.seen = seen{turn: d.seen.turn + 1}
	if d.seen.turn == mostTurns {
		d.seen.turn = 1
		d.fill(driver.Ptr(d.note(noteBad)), wordBytes)
	}
}

// See looks at the first n numbers of b.
func (d *Device) See(n int, b kernels.Buffer) int {
	number, place := d.seen.take(1)
	d.each("see", n, at(b, n), whole(number), d.note(noteBad))
	return place
}

// SeeAll looks at all buffers of a group.
func (d *Device) SeeAll(g kernels.Group) int {
	all := g.(*group)
	number, place := d.seen.take(all.Len())
	d.each("see_all", all.n, whole(all.Len()), where(g), whole(number), d.note(noteBad))
	return place
}

// FirstBad is the place of the first bad buffer. It waits for the answer.
func (d *Device) FirstBad(dst []float32, src kernels.Buffer) int {
	var from driver.Ptr
	if len(dst) > 0 {
		from = driver.Ptr(at(src, len(dst)))
	}
	notes := d.wait(bytesOf(dst), from)
	first := d.seen.first(int(notes[noteBad]))
	d.Watch()
	return first
}
