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
	device kernels.Device
	expr   *G.ExprGraph
	leaves map[string]*leaf // by the name of the node
	drains map[int64]Drain  // by the value
	blocks blockRows        // of programs for inference
	padded []*Rows          // those with padding
	later  []func()         // calls that wait for a program
}

// leaf is an input or a parameter.
type leaf struct {
	buffer kernels.Buffer
	ints   kernels.Ints   // instead of buffer, for a list
	active *int           // rows; nil for parameters
	feed   Feed           // or nil
	list   func() []int32 // of a list that is fed, or nil
}

// fed reports whether programs for inference fill the leaf by themselves.
func (l *leaf) fed() bool { return l.feed != nil || l.list != nil }

// Rows is a size that changes from batch to batch, such as the number of
// events: inputs of the same Rows have equally many.
type Rows struct {
	capacity, active int
	padding          *padding // or nil
}

// NewRows is a size of at most capacity, and as large until Set.
func NewRows(capacity int) *Rows { return &Rows{capacity: capacity, active: capacity} }

// Set makes n rows the active ones. It panics above the capacity.
func (r *Rows) Set(n int) {
	if n < 0 || n > r.capacity {
		panic(fmt.Sprintf("nn: %d rows, built for %d", n, r.capacity))
	}
	r.active = n
	r.padding.hold(r)
}

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
	g.add(name, &leaf{buffer: g.device.NewBuffer(shape.TotalSize()), active: active})
	return G.NewTensor(g.expr, tensor.Float32, shape.Dims(), G.WithShape(shape...), G.WithName(name))
}

func (g *Graph) list(name string, size int, active *int) *G.Node {
	g.add(name, &leaf{ints: g.device.NewInts(size), active: active})
	return G.NewTensor(g.expr, tensor.Int32, 1, G.WithShape(size), G.WithName(name))
}

func (g *Graph) add(name string, l *leaf) {
	if g.leaves[name] != nil {
		panic("nn: two leaves are called " + name) // gorgonia would merge them
	}
	g.leaves[name] = l
}

// differentiating serialises Gradients.
var differentiating sync.Mutex

// Gradients adds the gradients of a loss to its graph, one node a parameter.
// Use it in place of gorgonia's Grad, which shares constant nodes between all
// graphs of a process and caches hashes in them: trials build their graphs
// side by side.
func Gradients(loss *G.Node, params ...*G.Node) (G.Nodes, error) {
	differentiating.Lock()
	defer differentiating.Unlock()
	return G.Grad(loss, params...)
}
