// Package ring is the last-neighbour store of TGN: per node the events with
// the largest numbers, as in PyTorch Geometric's LastNeighborLoader. Every
// event is kept with both of its ends, a pair that meets twice is kept twice,
// and a self-loop is kept at its node twice.
//
// A batch is scored first and inserted afterwards, so that the neighbours
// of an event come from before its batch:
//
//	g := r.Query(centres, 1, false)   // the neighbourhoods, from before the batch
//	r.Features()                      // their edges' features, on the device: rows g.Places
//	...
//	r.Insert(b, x)                    // the batch's events, and their features
//
// An event costs the same however many came before it. The memory is 16 bytes
// a place, size places a node, and 4 bytes a place for every feature: they stay
// with the event, so nobody has to hold the stream. 10^6 nodes of 10 places with
// 4 features take .32 GB.
package ring

import (
	"fmt"
	"math"
	"slices"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/models/nodelist"
	"dgsbench/nn"
)

// Ring holds the last events of every node.
type Ring struct {
	size int
	// counts has, of a node, the number of its events while they are fewer
	// than size, and from then on size + the place of the oldest one.
	counts []int32

	// Places: size of them a node. A place that was never used is zero.
	neighbours []int32
	events     []int32
	times      []float64

	// features is a table on the device with a row for each place.
	device   kernels.Device
	features kernels.Buffer
	cols     int
	move     *nn.Move

	position []int32 // of a node in the graph of a query, +1; 0 between queries
	graph    Graph

	// Of the batch inserted last: the places of both ends of its events, and
	// those that take features, with the numbers of their events in the batch.
	places, to, from []int32
}

// New returns an empty ring of the last size events of each node, with cols
// features each, for batches of at most maxEvents.
func New(d kernels.Device, nodes, size, cols, maxEvents int) *Ring {
	return &Ring{
		size: size, counts: make([]int32, nodes), position: make([]int32, nodes),
		neighbours: make([]int32, nodes*size), events: make([]int32, nodes*size), times: make([]float64, nodes*size),
		device: d, features: d.NewBuffer(nodes * size * cols), cols: cols, move: nn.NewMove(d, 2*maxEvents, cols),
	}
}

// Features is where the features are: those of a place in the row of its number.
func (r *Ring) Features() kernels.Buffer { return r.features }

// Places is the number of places of all nodes.
func (r *Ring) Places() int { return len(r.neighbours) }

// Inserted are the places that the last batch has taken, some of them more than
// once. The list is valid until the next Insert.
func (r *Ring) Inserted() []int32 { return r.places }

// Insert adds the events of a batch, with their numbers within the whole
// stream; x has their features, a row an event. Batches come in stream order.
func (r *Ring) Insert(b datasets.Stream, x kernels.Buffer) {
	r.places = r.places[:0]
	for k := range b.Len() {
		r.put(b.Src[k], b.Dst[k], b, k)
		r.put(b.Dst[k], b.Src[k], b, k)
	}
	if r.cols == 0 {
		return
	}
	// Once each, even where a later event of the batch has taken an earlier
	// one's place.
	r.to, r.from = r.to[:0], r.from[:0]
	for i, p := range r.places {
		k, twice := i/2, i%2 == 1 && p == r.places[i-1]
		if r.events[p] == int32(b.EventID(k)) && !twice {
			r.to, r.from = append(r.to, p), append(r.from, int32(k))
		}
	}
	r.move.Run(r.features, r.to, x, r.from)
}

// put replaces the oldest event of the centre.
func (r *Ring) put(centre, neighbour int32, b datasets.Stream, k int) {
	size := int32(r.size)
	count := r.counts[centre]
	p := centre*size + count%size
	if count++; count == 2*size {
		count = size
	}
	r.counts[centre] = count
	r.neighbours[p], r.events[p], r.times[p] = neighbour, int32(b.EventID(k)), b.Time[k]
	r.places = append(r.places, p)
}

func (r *Ring) Reset() {
	clear(r.counts)
	clear(r.neighbours)
	clear(r.events)
	clear(r.times)
	r.device.Zero(r.features.Len(), r.features)
}

// Graph is the neighbourhood of some centres. Its rows are nodes: the centres
// first, as they were given, then what is one step away, then two steps.
// Edges are grouped by the row that they lead to, of one row the oldest
// first.
//
// So the graph of fewer steps is the beginning of every list, and layer l of
// L takes the rows of Reach[L-l] as centres and those of Reach[L-l+1] as
// nodes.
type Graph struct {
	Nodes   []int32
	Reach   []int   // Reach[h] rows are at most h steps from a centre
	Offsets []int32 // of the rows with edges, and the end of the last
	Index   []int32 // of an edge: the row of the neighbour
	Places  []int32 // of an edge: its row in Features
	Times   []float64
}

// Query finds all that is at most steps steps (1 or more) away from the centres.
// The graph is valid until the next query.
//
// The centres are distinct nodes or, with apart, more than their nodes, such as
// occurrences in events: these may be of one node, and no edge leads to a
// centre, as a neighbour has a row of its own even where it is a centre, too.
func (r *Ring) Query(centres []int32, steps int, apart bool) *Graph {
	g := &r.graph
	g.Nodes = append(g.Nodes[:0], centres...)
	g.Reach = append(g.Reach[:0], len(centres))
	g.Offsets = append(g.Offsets[:0], 0)
	g.Index, g.Places, g.Times = g.Index[:0], g.Places[:0], g.Times[:0]
	if !apart {
		for i, n := range centres {
			r.position[n] = int32(i + 1)
		}
	}
	done := 0
	for range steps {
		end := len(g.Nodes)
		for _, n := range g.Nodes[done:end] {
			r.edges(n)
		}
		done = end
		g.Reach = append(g.Reach, len(g.Nodes))
	}
	for _, n := range g.Nodes {
		r.position[n] = 0
	}
	return g
}

// edges appends those of one node.
func (r *Ring) edges(node int32) {
	g, size := &r.graph, int32(r.size)
	first, count := int32(0), r.counts[node]
	if count >= size {
		first, count = count-size, size
	}
	for i := range count {
		p := node*size + (first+i)%size
		g.Index = append(g.Index, r.row(r.neighbours[p]))
		g.Places = append(g.Places, p)
		g.Times = append(g.Times, r.times[p])
	}
	g.Offsets = append(g.Offsets, int32(len(g.Index)))
}

// row is that of a node, a new one if it has none.
func (r *Ring) row(node int32) int32 {
	if r.position[node] == 0 {
		r.graph.Nodes = append(r.graph.Nodes, node)
		r.position[node] = int32(len(r.graph.Nodes))
	}
	return r.position[node] - 1
}

// Bounds returns the largest numbers of rows and edges of a query.
func (r *Ring) Bounds(centres, steps int) (rows, edges int) {
	return Bounds(len(r.counts), r.size, centres, steps)
}

// Bounds returns the largest numbers of rows and edges of a query in a ring of
// nodes nodes with size places each.
func Bounds(nodes, size, centres, steps int) (rows, edges int) {
	rows = centres
	for range steps {
		edges = rows * size
		rows = centres + min(edges, nodes)
	}
	return rows, edges
}

// Spread lists the nodes that have a listed one among their neighbours, too.
func (r *Ring) Spread(near *nodelist.List) {
	before, size := int32(len(near.Nodes)), int32(r.size)
	for n, count := range r.counts {
		first := int32(n) * size
		for _, v := range r.neighbours[first : first+min(count, size)] {
			if i := near.At(v); i >= 0 && i < before {
				near.Add(int32(n))
				break
			}
		}
	}
}

// Fields are the ring in snapshots: counts, and of every place neighbour,
// event, time and features.
func (r *Ring) Fields() models.Fields {
	nodes := len(r.counts)
	features := models.OnDevice("ring.features", r.device, r.features, nodes*r.size, r.cols)
	features.Check = models.Within
	counts := models.Integers("ring.counts", r.counts, 0, 2*int64(r.size)-1)
	inRange := counts.Check
	counts.Check = func(saved []models.Tensor) error {
		if err := inRange(saved); err != nil {
			return err
		}
		of := saved[4] // the features
		for v, n := range saved[0].I64 {
			unused := of.F32[(v*r.size+min(int(n), r.size))*r.cols : (v+1)*r.size*r.cols]
			if slices.ContainsFunc(unused, func(x float32) bool { return x != 0 }) {
				return fmt.Errorf("snapshot tensor %s has features for node %d where %s has no event", of, v, saved[0])
			}
		}
		return nil
	}
	return models.Fields{
		counts,
		models.Integers("ring.neighbours", r.neighbours, 0, int64(nodes)-1, nodes, r.size),
		models.Integers("ring.events", r.events, 0, math.MaxInt32, nodes, r.size),
		models.Times("ring.times", r.times, nn.Largest, nodes, r.size),
		features,
	}
}
