package memory

import (
	"iter"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/nn"
)

// Embedding makes the vectors that are scored of memories: what the models
// differ by. Its parameters are in the network already.
type Embedding interface {
	// Width is the number of columns of an embedding.
	Width() int
	// Steps is how far from a centre the memories are that its embedding is
	// made of; none is the centre's own.
	Steps() int
	// Most is how many memories the embeddings of so many centres are made
	// of, at most.
	Most(centres int) int
	// Site puts the module on top of vectors, the memories that it reads.
	// Leaves are called after name.
	Site(name string, vectors *nn.Node, p Place) (Site, error)
	// At is the embedding at a time: x has rows of a site's Out, dt (rows x
	// 1) what Elapsed says of each.
	At(x, dt *nn.Node) (*nn.Node, error)
	// Elapsed scales the time since a node's last update, which is asked for
	// as a source or as a destination.
	Elapsed(s Side, seconds float64) float32

	// Insert folds a batch in that has been scored; x has its features, a
	// row an event.
	Insert(b datasets.Stream, x kernels.Buffer)
	// Affected are the nodes whose embeddings are new when these nodes have
	// new memories, and took part in new events.
	Affected(nodes []int32) iter.Seq[int32]
	// Reset forgets all events.
	Reset()
	// Tensors copies what it knows of events.
	Tensors() []models.Tensor
	// Check refuses what Tensors cannot have given.
	Check([]models.Tensor) error
	// Restore puts back what Tensors gave, which was checked.
	Restore([]models.Tensor)
}

// Place says what a site is for.
type Place struct {
	Centres  int  // at once, at most
	Training bool // has dropout
	// Apart, where it is not nil, is the rows of centres that are more than
	// their nodes, such as occurrences in events: nothing but themselves reads
	// their vectors. They may be of one node.
	Apart *nn.Rows
	// Around is the memories of the others that are listed, where these stand
	// apart and are one step away. Vectors are then those of the centres alone.
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
	// Fill writes for programs that train what others fetch by themselves.
	Fill()
	// Out is the embeddings.
	Out() *nn.Node
}

// Side is which end of an event a node is.
type Side int

// The two ends.
const (
	Source Side = iota
	Destination
)

// Timeless is the part of an Embedding that does not change with time.
type Timeless struct{}

// At is x.
func (Timeless) At(x, _ *nn.Node) (*nn.Node, error) { return x, nil }

// Elapsed is of no use.
func (Timeless) Elapsed(Side, float64) float32 { return 0 }

// Memoryless is the part of an Embedding that knows of no events.
type Memoryless struct{}

// Steps is none.
func (Memoryless) Steps() int { return 0 }

// Most is the centres themselves.
func (Memoryless) Most(centres int) int { return centres }

// Site passes the vectors on.
func (Memoryless) Site(_ string, vectors *nn.Node, _ Place) (Site, error) {
	return &plain{out: vectors}, nil
}

// Insert does nothing.
func (Memoryless) Insert(datasets.Stream, kernels.Buffer) {}

// Affected are the nodes themselves.
func (Memoryless) Affected(nodes []int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for _, n := range nodes {
			if !yield(n) {
				return
			}
		}
	}
}

// Reset does nothing.
func (Memoryless) Reset() {}

// Tensors are none.
func (Memoryless) Tensors() []models.Tensor { return nil }

// Check expects none.
func (Memoryless) Check(saved []models.Tensor) error { return models.Check(nil, saved) }

// Restore does nothing.
func (Memoryless) Restore([]models.Tensor) {}

// plain is a site whose embeddings are the memories.
type plain struct {
	out     *nn.Node
	centres int
}

func (p *plain) List(centres []int32) []int32 {
	p.centres = len(centres)
	return centres
}

func (p *plain) Write(rows []int32, _ []float64) []int32 { return rows[:p.centres] }

func (p *plain) Fill() {}

func (p *plain) Out() *nn.Node { return p.out }
