package memory

import "dgsbench/nn"

// lookup is a list of embeddings at times: rows of a site's.
type lookup struct {
	embedding Embedding
	rows      *nn.Rows
	index, dt *nn.Fed
	plain     *nn.Node // the rows
	out       *nn.Node // at their times

	indices []int32
	deltas  []float32
}

func newLookup(e Embedding, net *nn.Network, name string, from *nn.Node, rows *nn.Rows) (*lookup, error) {
	l := &lookup{embedding: e, rows: rows}
	l.index = net.ListFromHost(name+".index", rows, func() []int32 { return l.indices })
	l.dt = net.FromHost(name+".dt", rows, 1, func() []float32 { return l.deltas })
	var err error
	if l.plain, err = nn.Gather(from, l.index.Node); err != nil {
		return nil, err
	}
	l.out, err = e.At(l.plain, l.dt.Node)
	return l, err
}

// start empties the list.
func (l *lookup) start() { l.indices, l.deltas = l.indices[:0], l.deltas[:0] }

// add lists a row, so many seconds after its node's last update.
func (l *lookup) add(row int32, s Side, seconds float64) {
	l.indices, l.deltas = append(l.indices, row), append(l.deltas, l.embedding.Elapsed(s, seconds))
}

// set is for when the list is complete.
func (l *lookup) set() { l.rows.Set(len(l.indices)) }

// fill writes for programs that train what others fetch by themselves.
func (l *lookup) fill() {
	l.index.Write()
	l.dt.Write()
}
