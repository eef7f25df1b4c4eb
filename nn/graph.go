// Package nn holds the trainable parts of models: layers as gorgonia graphs,
// their parameters, the optimiser and the random streams that feed them.
// Models work with buffers and numbers; nothing outside this package depends on
// what runs the graphs.
//
// A graph that does not fit together is an error of the program that builds
// it: layers, Compile and NewTraining panic with a message that names the
// operation, as kernels do for wrong sizes.
package nn

import (
	"fmt"
	"sync"

	"dgsbench/kernels"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Node is a value of a graph: a leaf, or the result of an operation.
type Node = G.Node

// Graph is a gorgonia graph whose inputs and parameters live in buffers of a
// device. Programs compiled from it share them.
type Graph struct {
	device   kernels.Device
	expr     *G.ExprGraph
	leaves   map[string]*leaf // by the name of the node
	drains   map[int64]Drain  // by the value
	blocks   blockRows        // of programs for inference
	padded   []*Rows          // those with padding
	deferred []func()         // calls that wait for a program
}

// leaf is an input or a parameter.
type leaf struct {
	buffer kernels.Buffer
	ints   kernels.Ints   // instead of buffer, for a list
	active *int           // rows; nil for parameters
	feed   Feed           // or nil
	list   func() []int32 // of a list that is fed, or nil
	write  func()         // of all active rows before a Training runs, or nil
}

// fed reports whether programs for inference fill the leaf by themselves.
func (l *leaf) fed() bool { return l.feed != nil || l.list != nil }

// NewGraph is an empty graph on a device.
func NewGraph(d kernels.Device) *Graph {
	return &Graph{device: d, expr: G.NewGraph(), leaves: map[string]*leaf{}, drains: map[int64]Drain{}, blocks: usualBlocks}
}

// Input is a matrix of rows x cols that is written for every batch.
func (g *Graph) Input(name string, rows *Rows, cols int) *G.Node {
	return g.leaf(name, tensor.Shape{rows.capacity, cols}, &rows.active)
}

// Param is a parameter with the given values: a vector or a matrix, by its
// shape.
func (g *Graph) Param(name string, values []float32, shape ...int) *G.Node {
	n := g.leaf(name, shape, nil)
	if len(values) != n.Shape().TotalSize() {
		panic(fmt.Sprintf("nn: %d values for %s of shape %v", len(values), name, shape))
	}
	g.device.Write(g.leaves[name].buffer, values)
	return n
}

// Index is a list of row numbers that is written for every batch.
func (g *Graph) Index(name string, rows *Rows) *G.Node {
	return g.list(name, rows.capacity, &rows.active)
}

// Offsets is a list of one number more than rows: where the parts of another
// list begin that belong to each row, and the end of the last one.
func (g *Graph) Offsets(name string, rows *Rows) *G.Node {
	return g.list(name, rows.capacity+1, nil)
}

// Ints is where an index or offsets live.
func (g *Graph) Ints(n *G.Node) kernels.Ints { return g.leaves[n.Name()].ints }

// Buffer is where an input or a parameter lives.
func (g *Graph) Buffer(n *G.Node) kernels.Buffer { return g.leaves[n.Name()].buffer }

func (g *Graph) leaf(name string, shape tensor.Shape, active *int) *G.Node {
	return g.add(name, tensor.Float32, shape, &leaf{buffer: g.device.NewBuffer(shape.TotalSize()), active: active})
}

func (g *Graph) list(name string, size int, active *int) *G.Node {
	return g.add(name, tensor.Int32, tensor.Shape{size}, &leaf{ints: g.device.NewInts(size), active: active})
}

func (g *Graph) add(name string, of tensor.Dtype, shape tensor.Shape, l *leaf) *G.Node {
	if g.leaves[name] != nil {
		panic("nn: two leaves are called " + name) // gorgonia would merge them
	}
	g.leaves[name] = l
	return G.NewTensor(g.expr, of, shape.Dims(), G.WithShape(shape...), G.WithName(name))
}

// differentiating serialises Gradients.
var differentiating sync.Mutex

// Gradients adds the gradients of a loss to its graph, one node a parameter.
// Use it in place of gorgonia's Grad, which shares constant nodes between all
// graphs of a process and caches hashes in them: trials build their graphs
// side by side.
func Gradients(loss *G.Node, params ...*G.Node) G.Nodes {
	differentiating.Lock()
	defer differentiating.Unlock()
	out, err := G.Grad(loss, params...)
	if err != nil {
		panic(fmt.Sprintf("nn: gradients of %s: %v", loss.Name(), err))
	}
	return out
}

// Rows is a size that changes from batch to batch, such as the number of
// events: inputs of the same Rows have equally many.
type Rows struct {
	capacity, active int

	// With padding, a repeated program (Repeated) has more rows than the
	// batch: padded, as many as any batch has had and a bit more. batch is those
	// of the batch while a program runs.
	padding       bool
	padded, batch int
}

// NewRows is a size of at most capacity, and as large until Set.
func NewRows(capacity int) *Rows { return &Rows{capacity: capacity, active: capacity} }

// paddingStep divides numbers of rows with padding. Kernels may add up every
// 32nd row, say, or every fourth 32 of them, in a place of its own: rows behind
// padding are added in the same place then, whatever padding there is.
const paddingStep = 128

func roundUpToStep(n int) int { return (n + paddingStep - 1) / paddingStep * paddingStep }

// PaddedRows is a size of rows that repeated programs may have more of than a
// batch, so that their sizes come again: a device repeats calls of the same
// sizes at the cost of one. Nothing that is wanted may depend on these rows,
// so their gradients are zero and sums are what they are without them.
//
// They hold what earlier batches have left there, and zeros at first. No
// program has fewer rows than the one before, so row numbers left in padding
// stay valid, if they are of a parameter or of padded rows, too.
func (g *Graph) PaddedRows(capacity int) *Rows {
	if _, ok := g.device.(kernels.Repeater); !ok {
		return NewRows(capacity)
	}
	r := NewRows(roundUpToStep(capacity))
	r.padding = true
	g.padded = append(g.padded, r)
	return r
}

// Set makes n rows the active ones. It panics above the capacity.
func (r *Rows) Set(n int) {
	if n < 0 || n > r.capacity {
		panic(fmt.Sprintf("nn: %d rows, built for %d", n, r.capacity))
	}
	r.active = n
	if r.padding && n > r.padded {
		r.padded = min(r.capacity, roundUpToStep(n+n/8)) // few sizes altogether
	}
}

// Padded is how many rows a repeated program has: the active ones, unless
// there is padding.
func (r *Rows) Padded() int { return max(r.active, r.padded) }

// MaxPadding returns an upper limit of the rows of padding.
func (r *Rows) MaxPadding() int {
	if !r.padding {
		return 0
	}
	return r.capacity
}

// pad makes padding active, and unpad undoes it.
func (g *Graph) pad() {
	for _, r := range g.padded {
		r.batch, r.active = r.active, r.Padded()
	}
}

func (g *Graph) unpad() {
	for _, r := range g.padded {
		r.active = r.batch
	}
}

// What the host writes for a batch is many small pieces, which a device may
// put together until a call reads one of them. So calls that prepare a batch
// wait for the last piece.

// Defer makes calls when all of the next batch has been written: when its
// program for training begins, or at Flush.
func (g *Graph) Defer(calls func()) { g.deferred = append(g.deferred, calls) }

// Flush makes the calls that wait. It is for what they read that will not stay.
func (g *Graph) Flush() {
	for _, calls := range g.deferred {
		calls()
	}
	g.deferred = g.deferred[:0]
}
