package memory

import (
	"iter"
	"slices"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/nn"
)

// Embedding makes the vectors that are scored of memories, equation 5 of the
// TGN paper: what the models differ by. The zero value but for the width takes
// the memories themselves. Its parameters are in the network already.
type Embedding struct {
	Width int // columns of an embedding
	// Projection, where it is not nil, moves embeddings with time.
	Projection *Projection
	// Neighbours, where it is not nil, makes embeddings of the memories of
	// neighbours, too.
	Neighbours Neighbourhood
}

// Projection is Jodie's: an embedding x dt after its node's last update is
// x (1 + w dt + b), elementwise.
type Projection struct {
	W, B *nn.Node
	// Elapsed scales the time since a node's last update, which is asked for
	// as a source or as a destination, to dt. It is linear.
	Elapsed func(s Side, seconds float64) float32
}

// Side is which end of an event a node is.
type Side int

// The two ends.
const (
	Source Side = iota
	Destination
)

// Neighbourhood is the neighbours that a node met last, and how its embedding
// is made of theirs.
type Neighbourhood interface {
	// Steps is how far from a centre the memories are that its embedding is
	// made of.
	Steps() int
	// Most is the largest number of memories that the embeddings of that many
	// centres are made of.
	Most(centres int) int
	// Site puts the module on top of vectors, the memories that it reads.
	// Leaves are called after name.
	Site(name string, vectors *nn.Node, p Place) Site

	// Insert folds a batch in that has been scored; x has its features, a
	// row an event.
	Insert(b datasets.Stream, x kernels.Buffer)
	// Affected are the nodes whose embeddings are new when these nodes have
	// new memories, and took part in new events.
	Affected(nodes []int32) iter.Seq[int32]
	// Reset forgets all events.
	Reset()
	// State is what it knows of events.
	models.State
}

// Place says what a site is for.
type Place struct {
	Centres  int  // at once, at most
	Training bool // has dropout
	// Apart, where it is not nil, is the rows of centres that are more than
	// their nodes, such as occurrences in events: nothing but themselves reads
	// their vectors. They may be of one node.
	Apart *nn.Rows
	// Around, where it is not nil, is the memories of the neighbours that are
	// listed, all of them one step away. Vectors are then those of the centres alone.
	Around *nn.Node
}

// Site is an embedding within a network.
type Site interface {
	// List is the nodes whose memories the embeddings of the centres are
	// made of, the centres first. It is valid until the next call.
	List(centres []int32) []int32
	// Write prepares the embeddings of the centres that were listed. The
	// memory of node i of the list is in row rows[i] of the vectors (those
	// after the centres in one of Around, where there is that), and was updated
	// at updated[i]. It returns the rows of Out that the centres have.
	Write(rows []int32, updated []float64) []int32
	// WriteFed writes for programs that train what others fetch by themselves.
	WriteFed()
	// Out is the embeddings.
	Out() *nn.Node
}

// ownMemory is the site of embeddings that are their nodes' memories.
type ownMemory struct {
	out     *nn.Node
	centres int
}

func (s *ownMemory) List(centres []int32) []int32 {
	s.centres = len(centres)
	return centres
}

func (s *ownMemory) Write(rows []int32, _ []float64) []int32 { return rows[:s.centres] }
func (s *ownMemory) WriteFed()                               {}
func (s *ownMemory) Out() *nn.Node                           { return s.out }

func (e *Embedding) site(name string, vectors *nn.Node, p Place) Site {
	if e.Neighbours == nil {
		return &ownMemory{out: vectors}
	}
	return e.Neighbours.Site(name, vectors, p)
}

// most is the largest number of memories that the embeddings of that many
// centres are made of.
func (e *Embedding) most(centres int) int {
	if e.Neighbours == nil {
		return centres
	}
	return e.Neighbours.Most(centres)
}

// at is the embedding x at a time.
func (e *Embedding) at(x *nn.Node, dt *nn.Fed) *nn.Node {
	if e.Projection == nil {
		return x
	}
	return nn.TimeProject(x, dt.Node, e.Projection.W, e.Projection.B)
}

// feedTimes is an input of times since last updates; nil where embeddings do
// not change with time.
func (e *Embedding) feedTimes(net *nn.Network, name string, rows *nn.Rows, host func() []float32) *nn.Fed {
	if e.Projection == nil {
		return nil
	}
	return net.FromHost(name, rows, 1, host)
}

func (e *Embedding) elapsed(s Side, seconds float64) float32 {
	if e.Projection == nil {
		return 0
	}
	return e.Projection.Elapsed(s, seconds)
}

func (e *Embedding) insert(b datasets.Stream, x kernels.Buffer) {
	if e.Neighbours != nil {
		e.Neighbours.Insert(b, x)
	}
}

func (e *Embedding) affected(nodes []int32) iter.Seq[int32] {
	if e.Neighbours == nil {
		return slices.Values(nodes)
	}
	return e.Neighbours.Affected(nodes)
}

func (e *Embedding) reset() {
	if e.Neighbours != nil {
		e.Neighbours.Reset()
	}
}

// lookup is a list of embeddings at times: rows of a site's.
type lookup struct {
	embedding *Embedding
	rows      *nn.Rows
	index, dt *nn.Fed
	untimed   *nn.Node // the rows
	out       *nn.Node // at their times

	indices []int32
	deltas  []float32
}

func newLookup(e *Embedding, net *nn.Network, name string, from *nn.Node, rows *nn.Rows) *lookup {
	l := &lookup{embedding: e, rows: rows}
	l.index = net.ListFromHost(name+".index", rows, func() []int32 { return l.indices })
	l.dt = e.feedTimes(net, name+".dt", rows, func() []float32 { return l.deltas })
	l.untimed = nn.Gather(from, l.index.Node)
	l.out = e.at(l.untimed, l.dt)
	return l
}

// reset clears the list.
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

// write writes for programs that train what others fetch by themselves.
func (l *lookup) write() {
	l.index.Write()
	l.dt.Write()
}

// nodeList is a list of distinct nodes, with the position of each.
type nodeList struct {
	nodes    []int32
	position []int32 // of a node, +1; 0 if it is not listed
}

func newNodeList(nodes int) *nodeList { return &nodeList{position: make([]int32, nodes)} }

// reset clears the list.
func (l *nodeList) reset() {
	for _, n := range l.nodes {
		l.position[n] = 0
	}
	l.nodes = l.nodes[:0]
}

// add lists those of the nodes that are not there yet.
func (l *nodeList) add(nodes []int32) {
	for _, n := range nodes {
		if l.position[n] == 0 {
			l.nodes = append(l.nodes, n)
			l.position[n] = int32(len(l.nodes))
		}
	}
}

// at is the position of a listed node.
func (l *nodeList) at(node int32) int32 { return l.position[node] - 1 }

// upTo is 0 to n-1: all rows of something, in order.
func upTo(n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(i)
	}
	return out
}
