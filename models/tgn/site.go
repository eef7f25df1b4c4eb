package tgn

import (
	"fmt"

	"dgsbench/models/internal/memory"
	"dgsbench/models/ring"
	"dgsbench/nn"
)

// site is the layers on top of the memories of centres and neighbours.
type site struct {
	*attention
	apart  bool
	graph  *ring.Graph // of the centres that were listed
	layers []*layer
	edges  *nn.Rows // those of the first layer, which has all of them
	dt, x  *nn.Fed  // of the edges: time and features; x is nil where the stream has none
	out    *nn.Node

	deltas           []float32
	indices, offsets []int32
}

// layer is one layer at a site. Layer i of L has as centres what is at most
// L-i steps away from those of the site.
type layer struct {
	centres, edges *nn.Rows
	pick           *nn.Node // centres, as rows of the vectors; nil where these are all centres
	some           *nn.Node // edges, of those of the first layer; nil there
	list           nn.Neighbours
}

// Site puts the layers on top of memories.
func (a *attention) Site(name string, vectors *nn.Node, p memory.Place) memory.Site {
	s := &site{attention: a, apart: p.Apart != nil}
	net := a.core.Net
	_, most := a.ring.Most(p.Centres, a.opts.Layers)
	s.edges = s.rows(p, most)
	s.dt = net.FromHost(name+".edge.dt", s.edges, 1, func() []float32 { return s.deltas })
	phi := nn.TimeEncode(s.dt.Node, a.core.TimeW, a.core.TimeB)
	edges := nn.Concat(phi, s.edgeFeatures(name+".edge.features"))
	s.out = vectors
	for i := range a.layers {
		s.out = s.add(fmt.Sprintf("%s.layer%d", name, i+1), i, s.out, edges, p)
	}
	return s
}

// rows are a size of the site. What is trained may have padding: nothing
// reads a centre that was not listed, and no centre has an edge that was not.
func (s *site) rows(p memory.Place, capacity int) *nn.Rows {
	if p.Training {
		return s.core.Net.PaddedRows(capacity)
	}
	return nn.NewRows(capacity)
}

// edgeFeatures are those of the events that edges are.
func (s *site) edgeFeatures(name string) *nn.Node {
	if s.features.Cols() == 0 {
		return s.core.Net.Input(name, s.edges, s.width)
	}
	places := func() []int32 { return s.graph.Places }
	s.x = s.core.Net.FromTable(name, s.edges, s.width, s.features.Table, places)
	return s.x.Node
}

// add puts layer i on top of vectors.
func (s *site) add(name string, i int, vectors, edges *nn.Node, p memory.Place) *nn.Node {
	net, steps := s.core.Net, len(s.attention.layers)-1-i
	l := &layer{centres: p.Apart, edges: s.edges}
	if p.Apart == nil || steps > 0 {
		most, _ := s.ring.Most(p.Centres, steps)
		l.centres = s.rows(p, most)
	}
	s.layers = append(s.layers, l)
	// Centres, and the nodes that edges lead to, are among the same vectors,
	// unless the latter are around them.
	centres, nodes := vectors, p.Around
	if nodes == nil {
		l.pick = net.Index(name+".centres", l.centres)
		centres, nodes = nn.Gather(vectors, l.pick), vectors
	}
	if i > 0 {
		_, room := s.ring.Most(p.Centres, steps+1)
		l.edges = s.rows(p, room)
		l.some = net.Index(name+".edges", l.edges)
		edges = nn.Gather(edges, l.some)
	}
	l.list = nn.Neighbours{Offsets: net.Offsets(name+".offsets", l.centres), Index: net.Index(name+".neighbours", l.edges)}
	if p.Training && s.opts.Dropout > 0 {
		l.list.Drop = net.Mask(name+".drop", l.edges, s.opts.Heads, s.opts.Dropout)
	}
	return nn.NeighbourAttention(centres, nodes, edges, l.list, s.attention.layers[i])
}

// Out has a row for each centre.
func (s *site) Out() *nn.Node { return s.out }

// List is the nodes in reach of the centres.
func (s *site) List(centres []int32) []int32 {
	if s.apart {
		s.graph = s.ring.QueryApart(centres, len(s.layers))
	} else {
		s.graph = s.ring.Query(centres, len(s.layers))
	}
	return s.graph.Nodes
}

// Write puts the graph on the device, but for what is fed.
func (s *site) Write(rows []int32, updated []float64) []int32 {
	g, d, net := s.graph, s.core.Net.Device(), s.core.Net
	s.edges.Set(len(g.Index))
	s.deltas = s.deltas[:0]
	for e, j := range g.Index {
		s.deltas = append(s.deltas, float32(updated[j]-g.Times[e]))
	}
	for i, l := range s.layers {
		centres, _, edges := g.Part(len(s.layers) - 1 - i)
		l.centres.Set(centres)
		l.edges.Set(edges)
		d.WriteInts(net.Ints(l.list.Offsets), s.offsetsOf(l, g.Offsets[:centres+1]))
		if i == 0 {
			s.writeFirst(l, g.Index[:edges], rows, centres)
		} else {
			d.WriteInts(net.Ints(l.list.Index), g.Index[:edges])
			d.WriteInts(net.Ints(l.pick), s.count(centres))
			d.WriteInts(net.Ints(l.some), s.count(edges))
		}
	}
	return s.count(g.Reach[0])
}

// offsetsOf are the layer's, with centres that have no edges behind them.
func (s *site) offsetsOf(l *layer, listed []int32) []int32 {
	s.offsets = append(s.offsets[:0], listed...)
	for len(s.offsets) <= l.centres.Padded() {
		s.offsets = append(s.offsets, listed[len(listed)-1])
	}
	return s.offsets
}

// writeFirst is about the first layer, whose vectors have an order of their
// own.
func (s *site) writeFirst(l *layer, index, rows []int32, centres int) {
	d, net := s.core.Net.Device(), s.core.Net
	s.indices = s.indices[:0]
	for _, j := range index {
		s.indices = append(s.indices, rows[j])
	}
	d.WriteInts(net.Ints(l.list.Index), s.indices)
	if l.pick != nil {
		d.WriteInts(net.Ints(l.pick), rows[:centres])
	}
}

// WriteFed writes time and features of the edges.
func (s *site) WriteFed() {
	s.dt.Write()
	s.x.Write()
}

// count is 0 to n-1.
func (s *site) count(n int) []int32 {
	s.indices = s.indices[:0]
	for i := range n {
		s.indices = append(s.indices, int32(i))
	}
	return s.indices
}
