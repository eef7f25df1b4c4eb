package tpnet

import (
	"math"

	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/models/ring"
)

// tokens are what the encoder reads of a pair: a row for each of the last neighbours of
// the source, then of the destination, the latest last. Where there are fewer, rows of
// zeros come first.
//
// The columns of neighbour w of either are what the relative encodings of the paper
// (section 4.2) are made of, each product once: log(1+relu(.)) of the products of w with
// itself, with the source and with the destination, and of these two with themselves.
type tokens struct {
	*features
	ring          *ring.Ring
	size          int // neighbours of a node
	own, across   int // columns of a node with itself, and of two nodes
	eventFeatures int // of an event with a neighbour

	x      []float32
	dt     []float32 // log(1 + seconds since the event)
	places []int32   // of the event, in the ring

	// Scratch: rows of walks of the nodes asked for behind that of the source, of a
	// node's neighbours, and of both nodes of a pair; products of these.
	asked, near, both kernels.Buffer
	index             kernels.Ints
	list              []int32
	out               kernels.Buffer
	host              []float32
	fixed             []float32 // columns of the source's neighbours that all nodes share
	node              []float32 // columns of the destination with itself
}

func newTokens(f *features, o *Options, s models.Setup, pairs int) *tokens {
	n, k, cols := o.Encoder.Neighbours, o.Orders+1, f.columns()
	t := &tokens{
		features: f, ring: ring.New(f.device, s.NumNodes, n, s.NumFeat, s.MaxBatch), size: n,
		own: o.own(), across: o.across(), eventFeatures: s.NumFeat,
		dt: make([]float32, 2*n*pairs), places: make([]int32, 2*n*pairs),
		asked: f.device.NewBuffer((1 + encoded) * cols), near: f.device.NewBuffer(n * cols), both: f.device.NewBuffer(2 * cols),
		index: f.device.NewInts(max(n, 1+encoded)), out: f.device.NewBuffer(n * k * (1 + encoded) * k), host: make([]float32, n*k*(1+encoded)*k),
		fixed: make([]float32, n*(o.own()+o.across())), node: make([]float32, o.own()),
	}
	t.x = make([]float32, 2*n*pairs*t.width())
	return t
}

// width is the number of columns.
func (t *tokens) width() int { return 3*t.own + 2*t.across }

// rows writes the rows of pairs of a source with nodes, at most encoded of them, at a
// time. The pair of node i has the number first + i step.
func (t *tokens) rows(source int32, nodes []int32, time float64, first, step int) {
	cols, width := t.columns(), t.width()
	t.ownColumns(source, t.source)
	logOnePlus(t.source)
	t.list = append(append(t.list[:0], source), nodes...)
	t.gather(t.asked)
	t.device.CopyRows(1, cols, t.both, cols, t.asked, cols)

	g := t.neighbours(source)
	n := len(g.Index)
	products := t.with(n, t.asked, 1+len(nodes))
	for e := range n {
		row := t.fixed[e*(t.own+t.across):][:t.own+t.across]
		t.ownColumns(t.list[e], row)
		t.acrossColumns(products, e, 1+len(nodes), 0, row[t.own:])
		logOnePlus(row)
	}
	for i, v := range nodes {
		t.ownColumns(v, t.node)
		logOnePlus(t.node)
		at := t.beginSide(2*(first+i*step), source, time, g)
		for e := range n {
			row := t.x[(at+e)*width:][:width]
			copy(row, t.fixed[e*(t.own+t.across):][:t.own+t.across])
			with := row[t.own+t.across:][:t.across]
			t.acrossColumns(products, e, 1+len(nodes), 1+i, with)
			logOnePlus(with)
			t.sharedColumns(row)
		}
	}

	for i, v := range nodes {
		t.ownColumns(v, t.node)
		logOnePlus(t.node)
		t.device.CopyRows(1, cols, t.device.View(t.both, cols, cols), cols, t.device.View(t.asked, (1+i)*cols, cols), cols)
		g := t.neighbours(v)
		products := t.with(len(g.Index), t.both, 2)
		at := t.beginSide(2*(first+i*step)+1, v, time, g)
		for e, w := range t.list {
			row := t.x[(at+e)*width:][:width]
			t.ownColumns(w, row)
			t.acrossColumns(products, e, 2, 0, row[t.own:])
			t.acrossColumns(products, e, 2, 1, row[t.own+t.across:])
			logOnePlus(row[:t.own+2*t.across])
			t.sharedColumns(row)
		}
	}
}

// gather copies the rows of walks of the listed nodes.
func (t *tokens) gather(to kernels.Buffer) {
	t.device.WriteInts(t.index, t.list)
	t.device.GatherRows(len(t.list), t.nodes, t.columns(), to, t.table, t.index)
}

// neighbours finds those of a node, lists them and gathers their rows of walks.
func (t *tokens) neighbours(node int32) *ring.Graph {
	g := t.ring.Query([]int32{node}, 1, true)
	t.list = t.list[:0]
	for _, e := range g.Index {
		t.list = append(t.list, g.Nodes[e])
	}
	t.gather(t.near)
	return g
}

// with returns the products of n neighbours with the first nodes of a buffer. It is
// valid until the next call.
func (t *tokens) with(n int, of kernels.Buffer, nodes int) []float32 {
	k := t.orders + 1
	t.device.Gemm(kernels.NT, n*k, nodes*k, t.dimension, t.near, of, t.out, nil, false)
	products := t.host[:n*k*nodes*k]
	t.device.Read(products, t.out)
	return products
}

// acrossColumns writes the products of neighbour e with number i of the nodes, decayed to
// the present.
func (t *tokens) acrossColumns(products []float32, e, nodes, i int, x []float32) {
	k := t.orders + 1
	for a := range k {
		for b, product := range products[((e*k+a)*nodes+i)*k:][:k] {
			x[a*k+b] = product * t.decays[a+b]
		}
	}
}

// sharedColumns writes those of both nodes with themselves.
func (t *tokens) sharedColumns(row []float32) {
	last := row[t.own+2*t.across:]
	copy(last, t.source)
	copy(last[t.own:], t.node)
}

// beginSide clears the rows of the missing neighbours of one node of a pair, and writes
// the times and places of all. It returns the number of the first row that is left.
func (t *tokens) beginSide(side int, node int32, time float64, g *ring.Graph) (first int) {
	n, width := len(g.Index), t.width()
	at, missing := side*t.size, t.size-n
	clear(t.x[at*width:][:missing*width])
	for i := range missing {
		t.dt[at+i], t.places[at+i] = 0, node*int32(t.size)+int32(n) // where nothing was yet
	}
	first = at + missing
	for e := range n {
		t.dt[first+e], t.places[first+e] = float32(math.Log1p(max(0, time-g.Times[e]))), g.Places[e]
	}
	return first
}
