package nn

import (
	"slices"

	"dgsbench/kernels"
)

// Repeated is a program that is run for batch after batch, most of them of
// the same sizes. Where the device can, its calls then are made at once.
type Repeated struct {
	program *Program
	device  kernels.Repeating // nil where it cannot
	sizes   []*int            // active rows of the graph's leaves
	now     []int
	known   [knownSizes]repetition
	next    int // of known, which is forgotten when there are new sizes
}

// repetition is what is known of runs of some sizes.
type repetition struct {
	sizes []int
	again func() // nil after the first run
}

// knownSizes are those of a full batch, of the last one of an epoch, and some
// more.
const knownSizes = 4

// Repeated is a program of the graph.
func (g *Graph) Repeated(p *Program) *Repeated {
	r := &Repeated{program: p}
	r.device, _ = g.device.(kernels.Repeating)
	for _, l := range g.leaves {
		if l.active != nil && !slices.Contains(r.sizes, l.active) {
			r.sizes = append(r.sizes, l.active)
		}
	}
	r.now = make([]int, len(r.sizes))
	return r
}

// Run makes all calls.
func (r *Repeated) Run() {
	if r.device == nil {
		r.program.Run()
		return
	}
	for i, n := range r.sizes {
		r.now[i] = *n
	}
	k := r.find()
	if k == nil {
		r.program.Run()
		return
	}
	if k.again == nil {
		k.again = r.device.Repeated(r.program.Run)
	}
	k.again()
}

// find is what is known of the present sizes. It notes them, and returns nil,
// if they are new.
func (r *Repeated) find() *repetition {
	for i := range r.known {
		if k := &r.known[i]; k.sizes != nil && slices.Equal(k.sizes, r.now) {
			return k
		}
	}
	k := &r.known[r.next]
	r.next = (r.next + 1) % knownSizes
	k.sizes, k.again = append(k.sizes[:0], r.now...), nil
	return nil
}
