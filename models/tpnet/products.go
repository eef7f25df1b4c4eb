package tpnet

import (
	"slices"

	"dgsbench/kernels"
	"dgsbench/models/nodelist"
)

// products are those of rows of walks with each other, order by order, that features
// are made of. They keep what does not change from question to question: the
// candidates' rows side by side, and the products of a node with itself.
type products struct {
	*walks
	most int // candidates at once

	// candidates' rows as columns: number (orders+1) i + k of the dimension rows is
	// order k of candidate i. The last one is any node.
	candidates []int32
	beside     kernels.Buffer
	complete   bool // beside has all candidates, but for those in changed
	changed    *nodelist.List
	place      []int32 // of a node among the candidates, +1

	own      []float32 // of each node with itself: orders a <= b
	ownKnown []bool

	out      kernels.Buffer // scratch: of a question
	host     []float32
	ownTable []float32 // scratch: of a node with itself
}

// slots is how many candidates' rows are kept side by side, at most.
func slots(nodes int) int { return min(nodes+1, 1<<14) }

func newProducts(w *walks, o *Options) *products {
	p := &products{
		walks: w, most: slots(w.nodes),
		changed: nodelist.New(w.nodes), place: make([]int32, w.nodes),
		own: make([]float32, w.nodes*o.own()), ownKnown: make([]bool, w.nodes),
	}
	p.beside = w.device.NewBuffer(p.most * w.columns())
	p.out = w.device.NewBuffer(p.most * o.across())
	p.host, p.ownTable = make([]float32, p.most*o.across()), make([]float32, o.across())
	return p
}

// invalidate is called when all rows have changed.
func (p *products) invalidate() {
	p.complete = false
	clear(p.ownKnown)
}

// invalidateNodes is called when the rows of these nodes have changed.
func (p *products) invalidateNodes(nodes ...[]int32) {
	for _, some := range nodes {
		for _, v := range some {
			p.ownKnown[v] = false
		}
		if p.complete {
			p.changed.Add(some...)
		}
	}
}

// of returns the products of a source with nodes: for each order a of the source, and
// each node, one for each order of that. There are at most p.most nodes. It is valid
// until the next call.
func (p *products) of(source int32, nodes []int32) []float32 {
	last := len(nodes) - 1
	if !p.complete || len(p.candidates) != len(nodes) || !slices.Equal(p.candidates[:last], nodes[:last]) {
		p.replace(nodes)
	} else {
		for _, v := range p.changed.Nodes {
			if at := p.place[v]; at > 0 {
				p.put(int(at)-1, v)
			}
		}
		p.put(last, nodes[last]) // the true destination of an event, mostly
	}
	p.changed.Reset()
	k := p.orders + 1
	n := k * len(nodes)
	p.device.Gemm(kernels.NN, k, n, p.dimension, p.row(source), p.beside, p.out, nil, false)
	p.device.Read(p.host[:k*n], p.out)
	return p.host[:k*n]
}

// replace takes other candidates.
func (p *products) replace(nodes []int32) {
	clear(p.place)
	p.candidates = append(p.candidates[:0], nodes...)
	p.complete = true
	for i, v := range nodes {
		p.put(i, v)
		if i < len(nodes)-1 {
			p.complete = p.complete && p.place[v] == 0 // a node in two places is not kept
			p.place[v] = int32(i) + 1
		}
	}
}

// put writes the row of a node to the columns of candidate i.
func (p *products) put(i int, node int32) {
	k := p.orders + 1
	n := k * len(p.candidates)
	row := p.row(node)
	for order := range k {
		at := k*i + order
		p.device.CopyRows(p.dimension, 1, p.device.View(p.beside, at, p.beside.Len()-at), n, p.device.View(row, order*p.dimension, p.dimension), 1)
	}
}

// ownOf returns the products of a node with itself.
func (p *products) ownOf(node int32) []float32 {
	k := p.orders + 1
	n := k * (k + 1) / 2
	own := p.own[int(node)*n:][:n]
	if !p.ownKnown[node] {
		p.device.Gemm(kernels.NT, k, k, p.dimension, p.row(node), p.row(node), p.out, nil, false)
		p.device.Read(p.ownTable, p.out)
		i := 0
		for a := range k {
			i += copy(own[i:], p.ownTable[a*k+a:(a+1)*k])
		}
		p.ownKnown[node] = true
	}
	return own
}
