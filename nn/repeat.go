package nn

import (
	"slices"

	"dgsbench/kernels"
)

// Repeated is calls that are made for batch after batch, most of them of the
// same sizes. Where the device can, they then are made at once.
type Repeated struct {
	graph  *Graph
	calls  func()
	sizes  []*int           // active rows
	device kernels.Repeater // nil where it cannot
	now    []int            // sizes
	known  [knownSizes]repetition
	next   int // of known, which is forgotten when there are new sizes
}

// repetition is what is known of runs of some sizes.
type repetition struct {
	ran   bool
	sizes []int
	again func() // nil after the first run
}

// knownSizes are those of a full batch, of the last one of an epoch, and some
// more.
const knownSizes = 4

// Repeated is a program of the graph.
func (g *Graph) Repeated(p *Program) *Repeated { return g.RepeatedCalls(p.Run, p) }

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
	r.graph.Now()
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
	for i := range r.known {
		if k := &r.known[i]; k.ran && slices.Equal(k.sizes, r.now) {
			return k
		}
	}
	k := &r.known[r.next]
	r.next = (r.next + 1) % knownSizes
	k.ran, k.sizes, k.again = true, append(k.sizes[:0], r.now...), nil
	return nil
}
