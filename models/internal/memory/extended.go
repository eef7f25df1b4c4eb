package memory

import "dgsbench/nn"

// extended is rows of some vectors, and below them memories as they are
// kept: as many of each as there are.
type extended struct {
	core          *Core
	rows          *nn.Rows // of both
	kept          *nn.Rows
	id            *nn.Node // of the kept ones
	first, second *nn.Node // places
	numbers       []int32  // 0, 1, 2 ...
	out           *nn.Node
}

// newExtended has at most so many kept memories below vectors, which have
// the active rows of upper. Its rows are padded, so that those who read them
// may be.
func newExtended(c *Core, name string, vectors *nn.Node, upper *nn.Rows, most int) (*extended, error) {
	all := vectors.Shape()[0] + most
	e := &extended{core: c, rows: c.Net.PaddedRows(all), kept: nn.NewRows(most), numbers: make([]int32, all)}
	for i := range e.numbers {
		e.numbers[i] = int32(i)
	}
	e.id = c.Net.Index(name+".id", e.kept)
	e.first, e.second = c.Net.Index(name+".first", upper), c.Net.Index(name+".second", e.kept)
	like := c.Net.Input(name+".like", e.rows, 1)
	memories, err := nn.Gather(c.Table, e.id)
	if err != nil {
		return nil, err
	}
	above, err := nn.Scatter(vectors, e.first, like)
	if err != nil {
		return nil, err
	}
	below, err := nn.Scatter(memories, e.second, like)
	if err != nil {
		return nil, err
	}
	e.out, err = nn.Add(above, below)
	return e, err
}

// write is for so many vectors above memories, by their rows of the table.
func (e *extended) write(above int, memories []int32) {
	d, net, n := e.core.device, e.core.Net, len(memories)
	e.rows.Set(above + n)
	e.kept.Set(n)
	d.WriteInts(net.Ints(e.id), memories)
	d.WriteInts(net.Ints(e.first), e.numbers[:above])
	d.WriteInts(net.Ints(e.second), e.numbers[above:above+n])
}
