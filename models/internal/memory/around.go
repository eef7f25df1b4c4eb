package memory

import "dgsbench/nn"

// around is the memories around the sources of events: of neighbours that the
// sources' embeddings are made of, too, each in a row of its own.
type around struct {
	core *Core
	// One step away: node is their memories.
	few  *nn.Rows
	ids  *nn.Fed
	node *nn.Node
	// More steps: the sources' vectors above them.
	both *extended

	vectors *nn.Node // of the sources, or both
	nodes   []int32  // neighbours, as rows of the table
	numbers []int32  // 0, 1, 2 ...

	// Of sources and neighbours, for Site.Write.
	rows    []int32
	updated []float64
}

// newAround has room for so many neighbours.
func newAround(c *Core, steps int, vectors *nn.Node, events *nn.Rows, most int) (a *around, err error) {
	const name = "event.around"
	a = &around{core: c, vectors: vectors, numbers: upTo(vectors.Shape()[0] + most)}
	if steps > 1 {
		if a.both, err = newExtended(c, name, vectors, events, most); err != nil {
			return nil, err
		}
		a.vectors = a.both.out
		return a, nil
	}
	a.few = c.Net.PaddedRows(most)
	a.ids = c.Net.ListFromHost(name, a.few, func() []int32 { return a.nodes })
	a.node, err = nn.Gather(c.Table, a.ids.Node)
	return a, err
}

// list is for nodes of which so many are sources, the first ones.
func (a *around) list(sources int, listed []int32) {
	neighbours := len(listed) - sources
	a.nodes, a.updated = a.core.rows.Append(a.nodes[:0], listed[sources:]), a.updated[:0]
	for _, n := range listed {
		a.updated = append(a.updated, a.core.Updated[n])
	}
	if a.both != nil {
		a.both.list(sources, a.nodes)
		a.both.write()
		a.rows = a.numbers[:len(listed)]
		return
	}
	a.few.Set(neighbours)
	a.rows = append(append(a.rows[:0], a.numbers[:sources]...), a.numbers[:neighbours]...)
}

// write is for programs that train.
func (a *around) write() {
	if a.ids != nil {
		a.ids.Write()
	}
}
