package ring

import "dgsbench/datasets"

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

// New keeps size events for each of so many nodes.
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
