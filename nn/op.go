package nn

import (
	"fmt"
	"hash"
	"hash/fnv"

	"dgsbench/kernels"
	"dgsbench/kernels/reference"

	"github.com/chewxy/hm"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// op is one fused operation of a graph, a layer or the gradient of one: what
// gorgonia must know to differentiate it, and the kernel call that it
// becomes. Adding one takes nothing else.
type op struct {
	// name identifies the operation with all of its parameters: gorgonia
	// merges nodes of equal name on equal inputs.
	name string
	in   []int // dimensions of the inputs: 0 scalar, 1 vector, 2 matrix, or ints
	out  int   // dimensions of the output
	// sizes names the sizes of each input, a letter each: equal letters are
	// equal sizes, 1 is one, and inputs with the same first letter have the
	// same active rows. An input with "" is not checked.
	sizes []string
	// rows is the input whose active rows the output has, or fixed.
	rows int
	// apart, where it is not nil, says that rows can be computed apart from
	// each other: row i of the output (in a packed vector, of each of its
	// sections) needs row i alone of the inputs that it names, and the other
	// inputs as a whole. This must be so in programs for inference.
	apart []bool
	// shape is that of the output at full capacity; nil for that of the first
	// input.
	shape func(in []tensor.Shape) tensor.Shape
	// packed, instead of shape, makes the output a vector of several results
	// of these sizes, one after another, which call finds in results.
	packed func(in []tensor.Shape) []int
	// smooth says which inputs have a gradient; grad makes the nodes of
	// these, with nil for the others.
	smooth []bool
	grad   func(in G.Nodes, out, grad *G.Node) G.Nodes
	// run makes the kernel call for a batch. It allocates nothing.
	run func(c *call)
	// call, instead of run, prepares the kernel call: what it returns is run
	// for every batch.
	call func(c *call) func()
	// view, instead of run, makes the output a window of an input.
	view *window
	// trainingOnly operations pass their first input on in programs for
	// inference.
	trainingOnly bool
}

// window is where in its input number of a view begins.
type window struct{ input, offset int }

// fixed is the rows of an output whose size no batch changes.
const fixed = -1

// ints, as dimensions, is a list of row numbers or offsets.
const ints = -1

// outShape is the shape of the output for inputs of these shapes.
func (o *op) outShape(in []tensor.Shape) tensor.Shape {
	switch {
	case o.packed != nil:
		total := 0
		for _, n := range o.packed(in) {
			total += n
		}
		return tensor.Shape{total}
	case o.shape != nil:
		return o.shape(in)
	}
	return in[0]
}

// prepare returns the kernel call of the operation at c.
func (o *op) prepare(c *call) func() {
	if o.packed != nil {
		c.results = c.sections(c.out, o.packed(c.shapes)...)
	}
	if o.call != nil {
		return o.call(c)
	}
	return func() { o.run(c) }
}

// call is an operation's place in a program.
type call struct {
	device  kernels.Device
	mode    Mode
	in      []kernels.Buffer // nil for lists
	ints    []kernels.Ints   // nil for all others
	out     kernels.Buffer
	results []kernels.Buffer // sections of out, where the operation packs several
	shapes  []tensor.Shape   // of the inputs, at full capacity
	active  []*int           // active rows of each input; nil where all count
}

// read makes a value the next input.
func (c *call) read(v value, shape tensor.Shape) {
	c.in, c.ints = append(c.in, v.buffer), append(c.ints, v.ints)
	c.active, c.shapes = append(c.active, v.active), append(c.shapes, shape)
}

// rows is the number of active rows of input i, now.
func (c *call) rows(i int) int {
	if c.active[i] != nil {
		return *c.active[i]
	}
	return c.shapes[i][0]
}

// cols is the number of columns of input i; of a vector, one.
func (c *call) cols(i int) int {
	if c.shapes[i].Dims() == 1 {
		return 1
	}
	return c.shapes[i][1]
}

// numbers is how many numbers the active rows of input i have, now.
func (c *call) numbers(i int) int { return c.rows(i) * c.cols(i) }

// size is the number of elements of input i at full capacity.
func (c *call) size(i int) int { return c.shapes[i].TotalSize() }

// sections are windows of b, one after another.
func (c *call) sections(b kernels.Buffer, sizes ...int) []kernels.Buffer {
	out, offset := make([]kernels.Buffer, len(sizes)), 0
	for i, n := range sizes {
		out[i] = c.device.View(b, offset, n)
		offset += n
	}
	return out
}

// parts are the first results of a packed vector, with the shapes and the
// rows of the given nodes. They are views, which cost no kernel call.
func parts(packed *G.Node, like ...*G.Node) G.Nodes {
	out, offset := make(G.Nodes, len(like)), 0
	for i, l := range like {
		part := &op{
			name: fmt.Sprintf("part from %d", offset), in: []int{1, l.Dims()}, out: l.Dims(), rows: 1,
			shape: func(s []tensor.Shape) tensor.Shape { return s[1] },
			view:  &window{0, offset},
		}
		out[i] = part.apply(packed, l)
		offset += l.Shape().TotalSize()
	}
	return out
}

var (
	_ G.Op   = (*op)(nil)
	_ G.SDOp = (*op)(nil)
)

// Arity is the number of inputs.
func (o *op) Arity() int { return len(o.in) }

// Type is the signature for gorgonia's inference.
func (o *op) Type() hm.Type {
	types := make([]hm.Type, 0, len(o.in)+1)
	for _, d := range append(append([]int(nil), o.in...), o.out) {
		types = append(types, typeOf(d))
	}
	return hm.NewFnType(types...)
}

func typeOf(dims int) hm.Type {
	switch dims {
	case ints:
		return G.TensorType{Dims: 1, Of: tensor.Int32}
	case 0:
		return tensor.Float32
	}
	return G.TensorType{Dims: dims, Of: tensor.Float32}
}

// InferShape is the shape at full capacity.
func (o *op) InferShape(in ...G.DimSizer) (tensor.Shape, error) {
	shapes, err := G.DimSizersToShapes(in)
	if err != nil {
		return nil, err
	}
	return o.outShape(shapes).Clone(), nil
}

// Do runs the operation by itself, for gorgonia's own machines: tests
// compare them with compiled programs.
func (o *op) Do(values ...G.Value) (G.Value, error) {
	c := &call{device: reference.New()}
	for _, v := range values {
		var in value
		if list, ok := v.Data().([]int32); ok {
			in.ints = c.device.NewInts(len(list))
			c.device.WriteInts(in.ints, list)
		} else {
			data := numbers(v)
			in.buffer = c.device.NewBuffer(len(data))
			c.device.Write(in.buffer, data)
		}
		c.read(in, v.Shape())
	}
	shape := o.outShape(c.shapes)
	out := make([]float32, shape.TotalSize())
	if o.view != nil {
		copy(out, numbers(values[o.view.input])[o.view.offset:])
	} else {
		c.out = c.device.NewBuffer(len(out))
		o.prepare(c)()
		c.device.Read(out, c.out)
	}
	if o.out == 0 {
		return G.NewF32(out[0]), nil
	}
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(out)), nil
}

// numbers are those of a gorgonia value.
func numbers(v G.Value) []float32 {
	switch data := v.Data().(type) {
	case []float32:
		return data
	case float32:
		return []float32{data}
	}
	panic(fmt.Sprintf("nn: a value of type %T", v.Data()))
}

// ReturnsPtr, CallsExtern and OverwritesInput: none of that.
func (o *op) ReturnsPtr() bool     { return false }
func (o *op) CallsExtern() bool    { return false }
func (o *op) OverwritesInput() int { return -1 }

// WriteHash writes the name, which holds all parameters.
func (o *op) WriteHash(h hash.Hash) { fmt.Fprint(h, o.name) }

// Hashcode is the hash of the name.
func (o *op) Hashcode() uint32 {
	h := fnv.New32a()
	o.WriteHash(h)
	return h.Sum32()
}

func (o *op) String() string { return o.name }

// DiffWRT says which inputs have a gradient.
func (o *op) DiffWRT(int) []bool {
	if o.smooth == nil {
		return make([]bool, len(o.in))
	}
	return o.smooth
}

// SymDiff makes the gradient nodes.
func (o *op) SymDiff(in G.Nodes, out, grad *G.Node) (G.Nodes, error) {
	return o.grad(in, out, grad), nil
}

// apply adds the operation to the graph of its inputs. It panics if their
// types or shapes do not fit.
func (o *op) apply(in ...*G.Node) *G.Node {
	for i, n := range in {
		if got, want := n.Type(), typeOf(o.in[i]); !got.Eq(want) {
			panic(fmt.Sprintf("nn: %s: input %d (%s) is a %v, expected a %v", o.name, i, n.Name(), got, want))
		}
	}
	o.checkSizes(in)
	out, err := G.ApplyOp(o, in...)
	if err != nil {
		panic(fmt.Sprintf("nn: %s: %v", o.name, err))
	}
	return out
}

// checkSizes compares the inputs' shapes with sizes.
func (o *op) checkSizes(in G.Nodes) {
	known := map[rune]int{'1': 1}
	for i, letters := range o.sizes {
		for d, letter := range letters {
			size := in[i].Shape()[d]
			if want, ok := known[letter]; ok && size != want {
				panic(fmt.Sprintf("nn: %s: input %d (%s) is %v, expected %d in place of %d", o.name, i, in[i].Name(), in[i].Shape(), want, size))
			}
			known[letter] = size
		}
	}
}

// checkRows panics if inputs whose active rows must be the same have
// different ones.
func (o *op) checkRows(active []*int) {
	for i := range o.sizes {
		for j := range i {
			a, b := o.sizes[i], o.sizes[j]
			if len(a) == 2 && len(b) == 2 && a[0] == b[0] && active[i] != active[j] {
				panic(fmt.Sprintf("nn: %s: inputs %d and %d have rows of their own, expected the same", o.name, j, i))
			}
		}
	}
}
