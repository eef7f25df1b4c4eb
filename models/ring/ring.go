// Package ring is the last-neighbour store of TGN: per node the events with
// the largest numbers, as in PyTorch Geometric's LastNeighborLoader. Every
// event is kept with both of its ends, a pair that meets twice is kept twice,
// and a self-loop is kept at its node twice.
//
// A batch is scored first and inserted afterwards, so that no event sees its
// own batch:
//
//	g := r.Query(centres, 1)   // the neighbourhoods, from before the batch
//	features.Table()           // their edges' features, on the device: rows g.Places
//	...
//	r.Insert(b)                // the batch's events
//	features.Insert(x)         // and their features
//
// An event costs the same however many came before it. The memory is 16 bytes
// a place, size places a node, and 4 bytes a place for every column of Rows:
// what the model wants to know of an event later, it leaves at the event's
// places, so nobody has to hold the stream. 10^6 nodes of 10 places with 4
// features take .32 GB.
package ring

import (
	"fmt"
	"math"

	"dgsbench/datasets"
	"dgsbench/models"
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

	position []int32 // of a node in the graph of a query, +1; 0 between queries
	graph    Graph
	inserted []int32 // numbers of the events inserted last
	places   []int32 // of both ends of these
}

// New returns an empty ring of the last size events of each node.
func New(nodes, size int) *Ring {
	return &Ring{
		size: size, counts: make([]int32, nodes), position: make([]int32, nodes),
		neighbours: make([]int32, nodes*size), events: make([]int32, nodes*size), times: make([]float64, nodes*size),
	}
}

// Insert adds the events of a batch, with their numbers within the whole
// stream. Batches come in stream order.
func (r *Ring) Insert(b datasets.Stream) {
	r.inserted, r.places = r.inserted[:0], r.places[:0]
	for k := range b.Len() {
		r.inserted = append(r.inserted, int32(b.EventID(k)))
		r.put(b.Src[k], b.Dst[k], b, k)
		r.put(b.Dst[k], b.Src[k], b, k)
	}
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

// Reset forgets all events.
func (r *Ring) Reset() {
	clear(r.counts)
	clear(r.neighbours)
	clear(r.events)
	clear(r.times)
}

// Graph is the neighbourhood of some centres. Its rows are nodes: the centres
// first, as they were given, then what is one step away, then two steps.
// Edges are grouped by the row that they lead to, of one row the oldest
// first.
//
// So the graph of fewer steps is the beginning of every list, and layer l of
// L takes the rows of Reach[L-l] as centres and those of Reach[L-l+1] as
// nodes: see Part.
type Graph struct {
	Nodes   []int32
	Reach   []int   // Reach[h] rows are at most h steps from a centre
	Offsets []int32 // of the rows with edges, and the end of the last
	Index   []int32 // of an edge: the row of the neighbour
	Places  []int32 // of an edge: its row in a Rows
	Events  []int32 // of an edge: its number within the whole stream
	Times   []float64
}

// Part is the size of the graph whose centres are the rows at most h steps
// away: numbers of centres, rows and edges from the beginning of the lists.
func (g *Graph) Part(h int) (centres, rows, edges int) {
	return g.Reach[h], g.Reach[h+1], int(g.Offsets[g.Reach[h]])
}

// Query finds all that is at most steps steps (1 or more) away from the
// centres, which are distinct nodes. The graph is valid until the next query.
func (r *Ring) Query(centres []int32, steps int) *Graph {
	r.start(centres)
	for i, n := range centres {
		r.position[n] = int32(i + 1)
	}
	return r.expand(steps)
}

// QueryApart is Query for centres that are more than their nodes, such as
// occurrences in events. They may be of one node, and no edge leads from a
// centre: a neighbour has a row of its own even where it is a centre, too.
func (r *Ring) QueryApart(centres []int32, steps int) *Graph {
	r.start(centres)
	return r.expand(steps)
}

func (r *Ring) start(centres []int32) {
	g := &r.graph
	g.Nodes = append(g.Nodes[:0], centres...)
	g.Reach = append(g.Reach[:0], len(centres))
	g.Offsets = append(g.Offsets[:0], 0)
	g.Index, g.Places, g.Events, g.Times = g.Index[:0], g.Places[:0], g.Events[:0], g.Times[:0]
}

func (r *Ring) expand(steps int) *Graph {
	g, done := &r.graph, 0
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
		g.Events = append(g.Events, r.events[p])
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

// Most bounds the rows and edges of a query.
func (r *Ring) Most(centres, steps int) (rows, edges int) {
	return Most(len(r.counts), r.size, centres, steps)
}

// Most bounds the rows and edges of a query in a ring of nodes nodes with size
// places each.
func Most(nodes, size, centres, steps int) (rows, edges int) {
	rows = centres
	for range steps {
		edges = rows * size
		rows = centres + min(edges, nodes)
	}
	return rows, edges
}

// Spread extends a list of marked nodes by the nodes that have one of them
// among their neighbours, and marks these, too.
func (r *Ring) Spread(marked []bool, list []int32) []int32 {
	before := len(list)
	size := int32(r.size)
	for n, count := range r.counts {
		if marked[n] {
			continue
		}
		first := int32(n) * size
		for _, v := range r.neighbours[first : first+min(count, size)] {
			if marked[v] {
				list = append(list, int32(n))
				break
			}
		}
	}
	for _, n := range list[before:] {
		marked[n] = true
	}
	return list
}

// NumTensors is the number of tensors that hold a ring.
const NumTensors = 4

// Tensors copies the ring: counts, and of every place neighbour, event and
// the bits of the time.
func (r *Ring) Tensors() []models.Tensor {
	places := []int{len(r.counts), r.size}
	times := make([]int64, len(r.times))
	for i, t := range r.times {
		times[i] = int64(math.Float64bits(t))
	}
	return []models.Tensor{
		{Name: "ring.counts", Shape: []int{len(r.counts)}, I64: wide(r.counts)},
		{Name: "ring.neighbours", Shape: places, I64: wide(r.neighbours)},
		{Name: "ring.events", Shape: places, I64: wide(r.events)},
		{Name: "ring.times", Shape: places, I64: times},
	}
}

// CheckTensors returns an error for tensors that Tensors cannot have given.
func (r *Ring) CheckTensors(saved []models.Tensor) error {
	own := r.Tensors()
	if err := models.Check(own, saved); err != nil {
		return err
	}
	nodes := int64(len(r.counts))
	for i, most := range []int64{2 * int64(r.size), nodes, math.MaxInt32 + 1} {
		for _, x := range saved[i].I64 {
			if x < 0 || x >= most {
				return fmt.Errorf("snapshot tensor %s has %d, expected 0 to %d", saved[i], x, most-1)
			}
		}
	}
	return models.CheckTimes(saved[3], nn.Largest)
}

// SetTensors replaces the events by those of tensors that were checked.
func (r *Ring) SetTensors(saved []models.Tensor) {
	narrow(r.counts, saved[0].I64)
	narrow(r.neighbours, saved[1].I64)
	narrow(r.events, saved[2].I64)
	for i, bits := range saved[3].I64 {
		r.times[i] = math.Float64frombits(uint64(bits))
	}
}

func wide(x []int32) []int64 {
	out := make([]int64, len(x))
	for i, v := range x {
		out[i] = int64(v)
	}
	return out
}

func narrow(dst []int32, x []int64) {
	for i, v := range x {
		dst[i] = int32(v)
	}
}
