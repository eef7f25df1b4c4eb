package memory

import "dgsbench/nn"

// extended is rows of some vectors, and below them memories as they are
// kept: as many of each as there are.
type extended struct {
	core          *Core
	rows          *nn.Rows // of both
	kept          *nn.Rows
	id            *nn.Fed  // of the kept ones
	memories      *nn.Node // these alone
	first, second *nn.Node // places
	above         int      // vectors, of the batch
	ids, numbers  []int32  // of the kept ones; 0, 1, 2 ...
	out           *nn.Node
}

// newExtended has at most so many kept memories below vectors, which have
// the active rows of upper. Its rows are padded, so that those who read them
// may be.
func newExtended(c *Core, name string, vectors *nn.Node, upper *nn.Rows, most int) (*extended, error) {
	all := vectors.Shape()[0] + most
	e := &extended{core: c, rows: c.Net.PaddedRows(all), kept: nn.NewRows(most), numbers: upTo(all)}
	e.id = c.Net.ListFromHost(name+".id", e.kept, func() []int32 { return e.ids })
	e.first, e.second = c.Net.Index(name+".first", upper), c.Net.Index(name+".second", e.kept)
	like := c.Net.Input(name+".like", e.rows, 1)
	var err error
	if e.memories, err = nn.Gather(c.Table, e.id.Node); err != nil {
		return nil, err
	}
	above, err := nn.Scatter(vectors, e.first, like)
	if err != nil {
		return nil, err
	}
	below, err := nn.Scatter(e.memories, e.second, like)
	if err != nil {
		return nil, err
	}
	e.out, err = nn.Add(above, below)
	return e, err
}

// list is for so many vectors above memories, by their rows of the table.
func (e *extended) list(above int, memories []int32) {
	e.above, e.ids = above, append(e.ids[:0], memories...)
	e.rows.Set(above + len(memories))
	e.kept.Set(len(memories))
}

// write puts the lists on the device, for programs that read the vectors, too.
func (e *extended) write() {
	d, net := e.core.device, e.core.Net
	e.id.Write()
	d.WriteInts(net.Ints(e.first), e.numbers[:e.above])
	d.WriteInts(net.Ints(e.second), e.numbers[e.above:e.above+len(e.ids)])
}
