package memory

import (
	"fmt"

	"dgsbench/kernels"
	"dgsbench/models/nodelist"
	"dgsbench/models/ring"
	"dgsbench/nn"
)

// site is an embedding within a network: the layers of attention, if there is
// any, on top of the memories of centres and neighbours.
type site struct {
	*attention
	apart     bool
	projected *projections // of the edges; nil where the site computes them
	distinct  *distinct    // edges, in inference, which whoever asks lists; nil unless edges may repeat
	listed    int          // centres
	graph     *ring.Graph  // of the centres that were listed
	layers    []*layer
	edges     *nn.Rows // those of the first layer, which has all of them
	out       *nn.Node // the embeddings

	deltas           []float32
	indices, offsets []int32
}

// layer is one layer at a site. Layer i of L has as centres what is at most
// L-i steps away from those of the site.
type layer struct {
	centres, edges *nn.Rows
	pick           *nn.Node // centres, as rows of the vectors; nil where these are all centres
	some           *nn.Node // edges, of those of the first layer; nil there, and with projections
	list           nn.Neighbours
}

// place says what a site is for.
type place struct {
	centres  int  // at once, at most
	training bool // has dropout
	// apart, where it is not nil, is the rows of centres that are more than
	// their nodes, such as occurrences in events: nothing but themselves reads
	// their vectors. They may be of one node.
	apart *nn.Rows
	// around, where it is not nil, is the memories of the neighbours that are
	// listed, all of them one step away. Vectors are then those of the centres alone.
	around *nn.Node
	// projected, where it is not nil, has the edges.
	projected *projections
}

// site puts embeddings on top of vectors, the memories that they read. Leaves
// are called after name.
func (a *attention) site(name string, vectors *nn.Node, p place) *site {
	s := &site{attention: a, apart: p.apart != nil, projected: p.projected, out: vectors}
	if a == nil {
		return s
	}
	net := a.core.Net
	_, maxEdges := a.ring.Bounds(p.centres, a.opts.Layers)
	s.edges = s.rows(p, maxEdges)
	var edges *nn.Node
	if p.projected == nil {
		dt := net.FromHost(name+".edge.dt", s.edges, 1, func() []float32 { return s.deltas })
		edges = a.edges(name, s.edges, dt, s.places)
	}
	if s.apart {
		s.distinct = newDistinct(a, name+".distinct", min(maxEdges, a.ring.Places()))
	}
	for i := range a.layers {
		s.out = s.add(fmt.Sprintf("%s.layer%d", name, i+1), i, s.out, edges, p)
	}
	return s
}

// places are those of the edges.
func (s *site) places() []int32 { return s.graph.Places }

// edges are edges of the listed places, dt after the last updates of their
// neighbours.
func (a *attention) edges(name string, rows *nn.Rows, dt *nn.Node, places func() []int32) *nn.Node {
	phi := nn.TimeEncode(dt, a.core.timeW, a.core.timeB)
	return nn.Concat(phi, a.core.features(name+".edge.features", rows, a.ring.Features, places))
}

// rows are a size of the site. What is trained may have padding: nothing
// reads a centre that was not listed, and no centre has an edge that was not.
func (s *site) rows(p place, capacity int) *nn.Rows {
	if p.training {
		return s.core.Net.PaddedRows(capacity)
	}
	return nn.NewRows(capacity)
}

// add puts layer i on top of vectors.
func (s *site) add(name string, i int, vectors, edges *nn.Node, p place) *nn.Node {
	net, steps := s.core.Net, len(s.attention.layers)-1-i
	l := &layer{centres: p.apart, edges: s.edges}
	if p.apart == nil || steps > 0 {
		maxCentres, _ := s.ring.Bounds(p.centres, steps)
		l.centres = s.rows(p, maxCentres)
	}
	s.layers = append(s.layers, l)
	// Centres, and the nodes that edges lead to, are among the same vectors,
	// unless the latter are around them.
	centres, nodes := vectors, p.around
	if nodes == nil {
		l.pick = net.Index(name+".centres", l.centres)
		centres, nodes = nn.Gather(vectors, l.pick), vectors
	}
	if i > 0 {
		_, maxEdges := s.ring.Bounds(p.centres, steps+1)
		l.edges = s.rows(p, maxEdges)
		if p.projected == nil {
			l.some = net.Index(name+".edges", l.edges)
			edges = nn.Gather(edges, l.some)
		}
	}
	l.list = nn.Neighbours{Offsets: net.Offsets(name+".offsets", l.centres), Index: net.Index(name+".neighbours", l.edges)}
	if p.training && s.opts.Dropout > 0 {
		l.list.Drop = net.Mask(name+".drop", l.edges, s.opts.Heads, s.opts.Dropout)
	}
	params := s.attention.layers[i]
	var projected *nn.Node
	switch {
	case p.projected != nil:
		table := func() kernels.Buffer { return p.projected.tables[i] }
		projected = net.FromTable(name+".edges", l.edges, p.projected.size, table, s.places)
	case s.distinct != nil:
		row := net.ListFromHost(name+".distinct", l.edges, func() []int32 { return s.distinct.row })
		once := nn.Gather(nn.Linear(s.distinct.edges, params.Edge), row)
		if i > 0 { // whose edges are few
			once = nn.Linear(nn.Gather(s.distinct.edges, row), params.Edge)
		}
		projected = nn.TrainingOr(nn.Linear(edges, params.Edge), once)
	default:
		projected = nn.Linear(edges, params.Edge)
	}
	return nn.NeighbourAttention(centres, nodes, projected, l.list, params)
}

// list returns the nodes whose memories the embeddings of the centres are made
// of, the centres first. It is valid until the next call.
func (s *site) list(centres []int32) []int32 {
	s.listed = len(centres)
	if s.attention == nil {
		return centres
	}
	s.graph = s.ring.Query(centres, len(s.layers), s.apart)
	return s.graph.Nodes
}

// write prepares the embeddings of the centres that were listed. The memory of node i of the list is in row rows[i] of the vectors (those
// after the centres in one of around, where there is that), and was updated at
// updated[i]. It returns the rows of out that the centres have.
func (s *site) write(rows []int32, updated []float64) []int32 {
	if s.attention == nil {
		return rows[:s.listed]
	}
	g, d, net := s.graph, s.core.Net.Device(), s.core.Net
	s.edges.Set(len(g.Index))
	s.deltas = s.deltas[:0]
	if s.projected != nil {
		s.projected.project(s.core, g, updated)
	} else {
		for e, j := range g.Index {
			s.deltas = append(s.deltas, float32(updated[j]-g.Times[e]))
		}
	}
	for i, l := range s.layers {
		centres := g.Reach[len(s.layers)-1-i]
		edges := int(g.Offsets[centres])
		l.centres.Set(centres)
		l.edges.Set(edges)
		d.WriteInts(net.Ints(l.list.Offsets), s.offsetsOf(l, g.Offsets[:centres+1]))
		index, pick := g.Index[:edges], s.core.upTo(centres)
		if i == 0 { // whose vectors have an order of their own
			s.indices = s.indices[:0]
			for _, j := range index {
				s.indices = append(s.indices, rows[j])
			}
			index, pick = s.indices, rows[:centres]
		} else if l.some != nil {
			d.WriteInts(net.Ints(l.some), s.core.upTo(edges))
		}
		d.WriteInts(net.Ints(l.list.Index), index)
		if l.pick != nil {
			d.WriteInts(net.Ints(l.pick), pick)
		}
	}
	return s.core.upTo(s.listed)
}

// offsetsOf are the layer's, with centres that have no edges behind them.
func (s *site) offsetsOf(l *layer, listed []int32) []int32 {
	s.offsets = append(s.offsets[:0], listed...)
	for len(s.offsets) <= l.centres.Padded() {
		s.offsets = append(s.offsets, listed[len(listed)-1])
	}
	return s.offsets
}

// distinct is every edge of a graph once. Occurrences of one node have the same edges, and
// a node may occur several times in a batch.
type distinct struct {
	rows   *nn.Rows
	edges  *nn.Node
	places *nodelist.List
	deltas []float32
	row    []int32 // of each edge of the graph
}

func newDistinct(a *attention, name string, maxEdges int) *distinct {
	d := &distinct{rows: nn.NewRows(maxEdges), places: nodelist.New(a.ring.Places())}
	dt := a.core.Net.FromHost(name+".dt", d.rows, 1, func() []float32 { return d.deltas })
	d.edges = a.edges(name, d.rows, dt, func() []int32 { return d.places.Nodes })
	return d
}

// list lists the edges of a graph, whose nodes were updated at updated.
func (d *distinct) list(g *ring.Graph, updated []float64) {
	d.places.Reset()
	d.deltas, d.row = d.deltas[:0], d.row[:0]
	for e, place := range g.Places {
		if d.places.At(place) < 0 {
			d.places.Add(place)
			d.deltas = append(d.deltas, float32(updated[g.Index[e]]-g.Times[e]))
		}
		d.row = append(d.row, d.places.At(place))
	}
	d.rows.Set(len(d.places.Nodes))
}
