package nn

import (
	"dgsbench/kernels"

	G "gorgonia.org/gorgonia"
)

// Feed prepares the filling of some rows of an input. What it returns is run
// for every batch, before the rows are read; other rows may be filled at the
// same time. It allocates nothing.
type Feed func(p Part) func()

// Part is a block of rows of an input.
type Part struct {
	Device kernels.Device // to be used, and no other
	To     kernels.Buffer // the rows
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
