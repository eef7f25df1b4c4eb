package nn

// What the host writes for a batch is many small pieces, which a device may
// put together until a call reads one of them. So calls that prepare a batch
// wait for the last piece.

// Later makes calls when all of the next batch has been written: when its
// program for training begins.
func (g *Graph) Later(calls func()) { g.later = append(g.later, calls) }

// Now makes the calls that wait. It is for what they read that will not stay.
func (g *Graph) Now() {
	for _, calls := range g.later {
		calls()
	}
	g.later = g.later[:0]
}
