package memory

import "dgsbench/nn"

// lookup is a list of embeddings at times: rows of a site's.
type lookup struct {
	embedding Embedding
	net       *nn.Network
	rows      *nn.Rows
	index, dt *nn.Node
	plain     *nn.Node // the rows
	out       *nn.Node // at their times

	indices []int32
	deltas  []float32
}

func newLookup(e Embedding, net *nn.Network, name string, from *nn.Node, rows *nn.Rows) (*lookup, error) {
	l := &lookup{embedding: e, net: net, rows: rows, index: net.Index(name+".index", rows), dt: net.Input(name+".dt", rows, 1)}
	var err error
	if l.plain, err = nn.Gather(from, l.index); err != nil {
		return nil, err
	}
	l.out, err = e.At(l.plain, l.dt)
	return l, err
}

// start empties the list.
func (l *lookup) start() { l.indices, l.deltas = l.indices[:0], l.deltas[:0] }

// add lists a row, so many seconds after its node's last update.
func (l *lookup) add(row int32, s Side, seconds float64) {
	l.indices, l.deltas = append(l.indices, row), append(l.deltas, l.embedding.Elapsed(s, seconds))
}

// write puts the list on the device.
func (l *lookup) write() {
	l.rows.Set(len(l.indices))
	l.net.Device().WriteInts(l.net.Ints(l.index), l.indices)
	l.net.Device().Write(l.net.Buffer(l.dt), l.deltas)
}
