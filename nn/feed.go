package nn

import (
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
	Device kernels.Device // to be used, and no other
	At     kernels.Buffer // the rows: of an input, to be filled, or of a value
	First  int            // number of the first one within the batch
	Most   int            // how many there are at most
	active *int
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
