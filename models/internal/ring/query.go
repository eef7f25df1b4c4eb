package ring

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
// away: so many centres, rows and edges from the beginning of the lists.
func (g *Graph) Part(h int) (centres, rows, edges int) {
	return g.Reach[h], g.Reach[h+1], int(g.Offsets[g.Reach[h]])
}

// Query finds all that is at most so many steps (1 or more) away from the
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
	rows = centres
	for range steps {
		edges = rows * r.size
		rows = centres + min(edges, len(r.counts))
	}
	return rows, edges
}
