package memory

import (
	"dgsbench/models"
	"dgsbench/nn"
)

// embedding makes the vectors that are scored of memories, equation 5 of the TGN
// paper: what the models differ by.
type embedding struct {
	width int // columns of an embedding
	*attention
	*projection
}

func newEmbedding(c *Core, o Config, s models.Setup) *embedding {
	e := &embedding{width: o.width()}
	if o.Attention != nil {
		e.attention = newAttention(c, *o.Attention, s)
	}
	if o.Elapsed != nil {
		scale, err := o.Elapsed(s)
		if err != nil {
			panic(err) // Build returns it
		}
		w, b := c.Net.Normal(e.width), c.Net.Normal(e.width)
		e.projection = &projection{c.Net.Weight("proj.w", w, e.width), c.Net.Weight("proj.b", b, e.width), scale}
	}
	return e
}

// projection is Jodie's: an embedding x dt after its node's last update is
// x (1 + w dt + b), elementwise. w and b are drawn with mean 0 and deviation 1.
// Without one, which is nil, embeddings do not change with time.
type projection struct {
	w, b  *nn.Node
	scale Elapsed
}

// Elapsed scales the seconds since a node's last update, which is asked for as a
// source or as a destination, to the dt of a projection. It is linear.
type Elapsed func(s Side, seconds float64) float32

// Side is which end of an event a node is.
type Side int

// The two ends.
const (
	Source Side = iota
	Destination
)

func (p *projection) at(x, dt *nn.Node) *nn.Node {
	if p == nil {
		return x
	}
	return nn.TimeProject(x, dt, p.w, p.b)
}

// feedTimes is an input of times since last updates, or nil.
func (p *projection) feedTimes(net *nn.Network, name string, rows *nn.Rows, host func() []float32) *nn.Node {
	if p == nil {
		return nil
	}
	return net.FromHost(name, rows, 1, host)
}

func (p *projection) elapsed(s Side, seconds float64) float32 {
	if p == nil {
		return 0
	}
	return p.scale(s, seconds)
}

// lookup is a list of embeddings at times: rows of a site's.
type lookup struct {
	embedding *embedding
	rows      *nn.Rows
	untimed   *nn.Node // the rows
	out       *nn.Node // at their times

	indices []int32
	deltas  []float32
}

func newLookup(e *embedding, net *nn.Network, name string, from *nn.Node, rows *nn.Rows) *lookup {
	l := &lookup{embedding: e, rows: rows}
	l.untimed = nn.Gather(from, net.ListFromHost(name+".index", rows, func() []int32 { return l.indices }))
	l.out = e.at(l.untimed, e.feedTimes(net, name+".dt", rows, func() []float32 { return l.deltas }))
	return l
}

func (l *lookup) reset() {
	l.indices, l.deltas = l.indices[:0], l.deltas[:0]
	l.rows.Set(0)
}

// add lists a row at a time after its node's last update. Lookups that share
// their rows are listed to the same length.
func (l *lookup) add(row int32, s Side, seconds float64) {
	l.indices, l.deltas = append(l.indices, row), append(l.deltas, l.embedding.elapsed(s, seconds))
	l.rows.Set(len(l.indices))
}
