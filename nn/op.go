package nn

import (
	"fmt"
	"hash"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"unicode"

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
	// shapes are those of the inputs and of the result, such as "nk km m ->
	// nm". A dimension is a number or a letter, equal letters being equal
	// sizes; "." is a scalar and "#e" a list of e row numbers or offsets.
	// Matrices with the same first letter have the same active rows, those of
	// a capital being the first ones of its small letter. The result has the
	// active rows of the first input that begins with its first letter.
	//
	// Several results, as in "nk|n", are packed: one after another in a
	// vector.
	shapes string
	// apart says that rows can be computed apart from each other: row i of
	// the results needs row i alone of inputs with their first letter, and
	// the other inputs as a whole. This must be so in programs for inference.
	apart bool
	// smooth says which inputs have a gradient, and grad makes the nodes of
	// these, with nil for the others; what is missing at the end of either
	// has none. With packed results the gradient is that of the first, and
	// the packed vector follows the inputs.
	smooth []bool
	grad   func(in G.Nodes, out, grad *G.Node) G.Nodes
	// run makes the kernel call for a batch. It allocates nothing.
	run func(c *call)
	// call, instead of run, prepares the kernel call: what it returns is run
	// for every batch.
	call func(c *call) func()
	// inPlace says that the one result may be written over the first input, of its size.
	inPlace bool
	// view, instead of run, is where in its last input, which is packed, the
	// result begins: it is a window of that.
	view *int
	// trainingOnly operations pass their first input on in programs for
	// inference, and a choice its second one in those for training. What is not passed on is
	// not computed.
	trainingOnly, choice bool
}

// apply adds the operation to the graph of its inputs, and returns its result
// or the first of several. It panics if types or shapes do not fit.
func (o op) apply(in ...*G.Node) *G.Node { return o.results(1, in...)[0] }

// results adds the operation to the graph of its inputs, and returns the first
// n of its results. Windows of a packed vector cost no kernel call.
func (o op) results(n int, in ...*G.Node) G.Nodes {
	inputs, output := o.inputs(), o.output()
	if !strings.Contains(output, "|") {
		return G.Nodes{o.node(in)}
	}
	packed := o
	packed.name, packed.smooth = o.name+" packed", nil
	in = append(slices.Clone(in), packed.node(in))
	out, offset := make(G.Nodes, n), 0
	for i, result := range strings.Split(output, "|")[:n] {
		from := offset
		view := op{
			name: o.name, apart: o.apart, smooth: o.smooth, grad: o.grad, view: &from,
			shapes: fmt.Sprintf("%s %s -> %s", strings.Join(inputs, " "), output, result),
		}
		if i > 0 {
			view.name, view.smooth = fmt.Sprintf("%s, result %d", o.name, i), nil
		}
		out[i] = view.node(in)
		offset += out[i].Shape().TotalSize()
	}
	return out
}

// node adds an operation with one result to the graph.
func (o *op) node(in G.Nodes) *G.Node {
	shapes := make([]tensor.Shape, len(in))
	for i, s := range o.inputs() {
		if got, want := in[i].Type(), typeOf(s); !got.Eq(want) {
			panic(fmt.Sprintf("nn: %s: input %d (%s) is a %v, expected a %v", o.name, i, in[i].Name(), got, want))
		}
		shapes[i] = in[i].Shape()
	}
	for i, s := range o.inputs() {
		if strings.Contains(s, "|") {
			continue
		}
		for d, letter := range dims(s) {
			if got, want := shapes[i][d], o.size(letter, shapes); got != want {
				panic(fmt.Sprintf("nn: %s: input %d (%s) is %v, expected %d in place of %d", o.name, i, in[i].Name(), shapes[i], want, got))
			}
		}
	}
	out, err := G.ApplyOp(o, in...)
	if err != nil {
		panic(fmt.Sprintf("nn: %s: %v", o.name, err))
	}
	return out
}

func (o *op) inputs() []string { return strings.Fields(o.shapes[:strings.Index(o.shapes, "->")]) }
func (o *op) output() string   { return o.shapes[strings.Index(o.shapes, "-> ")+3:] }

// dims are the dimensions of one of shapes.
func dims(s string) (out []string) {
	for _, c := range strings.Trim(s, "#.") {
		if last := len(out) - 1; last >= 0 && unicode.IsDigit(c) && unicode.IsDigit(rune(out[last][0])) {
			out[last] += string(c)
		} else {
			out = append(out, string(c))
		}
	}
	return out
}

// rowsOf is the first dimension of one of shapes, or of the first of several
// results.
func rowsOf(s string) string { return strings.TrimPrefix(s, "#")[:1] }

// size is that of a dimension for inputs of these shapes: of a letter what the
// first input with it has there.
func (o *op) size(dim string, in []tensor.Shape) int {
	if n, err := strconv.Atoi(dim); err == nil {
		return n
	}
	for i, s := range o.inputs() {
		if d := slices.Index(dims(s), dim); d >= 0 && !strings.Contains(s, "|") {
			return in[i][d]
		}
	}
	panic(fmt.Sprintf("nn: %s: no input has the size %s", o.name, dim))
}

// shape is one of shapes for inputs of these shapes.
func (o *op) shape(s string, in []tensor.Shape) tensor.Shape {
	if strings.Contains(s, "|") {
		total := 0
		for _, result := range strings.Split(s, "|") {
			total += o.shape(result, in).TotalSize()
		}
		return tensor.Shape{total}
	}
	out := tensor.Shape{}
	for _, dim := range dims(s) {
		out = append(out, o.size(dim, in))
	}
	return out
}

// perRow reports whether a row of the results needs that row alone of input i.
func (o *op) perRow(i int) bool {
	return o.apart && strings.EqualFold(rowsOf(o.inputs()[i]), rowsOf(o.output()))
}

// rows is the active rows of the result, those of the inputs being active: nil
// if they do not change. It panics if inputs whose active rows must be the
// same have different ones.
func (o *op) rows(active []*int) (rows *int) {
	inputs := o.inputs()
	for i, a := range inputs {
		for j, b := range inputs[:i] {
			matrices := len(dims(a)) == 2 && len(dims(b)) == 2 && !strings.Contains(a+b, "|")
			if matrices && rowsOf(a) == rowsOf(b) && active[i] != active[j] {
				panic(fmt.Sprintf("nn: %s: inputs %d and %d have rows of their own, expected the same", o.name, j, i))
			}
		}
	}
	i := slices.IndexFunc(inputs, func(s string) bool { return rowsOf(s) == rowsOf(o.output()) })
	if i < 0 || strings.Contains(o.output(), "|") {
		return nil
	}
	return active[i]
}

// dividedBy is the active rows by which the operation can be divided, or nil.
func (o *op) dividedBy(active []*int) (rows *int) {
	for i := range active {
		switch {
		case !o.perRow(i):
		case active[i] == nil, rows != nil && rows != active[i]:
			return nil
		default:
			rows = active[i]
		}
	}
	return rows
}

// call is an operation's place in a program.
type call struct {
	op      *op
	device  kernels.Device
	mode    Mode
	in      []kernels.Buffer // nil for lists
	ints    []kernels.Ints   // nil for all others
	out     kernels.Buffer
	results []kernels.Buffer // sections of out, where the operation packs several
	shapes  []tensor.Shape   // of the inputs, at full capacity
	active  []*int           // active rows of each input; nil where all count
}

// operand is a value as a call reads it.
type operand struct {
	value
	shape tensor.Shape
}

// on is a place of the operation that reads these operands.
func (o *op) on(d kernels.Device, mode Mode, in []operand) *call {
	c := &call{op: o, device: d, mode: mode}
	for _, x := range in {
		c.in, c.ints = append(c.in, x.buffer), append(c.ints, x.ints)
		c.active, c.shapes = append(c.active, x.active), append(c.shapes, x.shape)
	}
	return c
}

// shape is that of the output.
func (c *call) shape() tensor.Shape { return c.op.shape(c.op.output(), c.shapes) }

// to returns the kernel call that writes the output to a buffer.
func (c *call) to(out kernels.Buffer) func() {
	c.out = out
	if strings.Contains(c.op.output(), "|") {
		c.results = c.sections(out, c.op.output())
	}
	if c.op.call != nil {
		return c.op.call(c)
	}
	return func() { c.op.run(c) }
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
func (c *call) numbers(i int) int {
	if c.active[i] == nil {
		return c.size(i)
	}
	return c.rows(i) * c.cols(i)
}

// size is the number of elements of input i at full capacity.
func (c *call) size(i int) int { return c.shapes[i].TotalSize() }

// packed are the sections of input i, a packed vector.
func (c *call) packed(i int) []kernels.Buffer { return c.sections(c.in[i], c.op.inputs()[i]) }

// sections are the windows of b that hold several results.
func (c *call) sections(b kernels.Buffer, results string) (out []kernels.Buffer) {
	offset := 0
	for _, s := range strings.Split(results, "|") {
		n := c.op.shape(s, c.shapes).TotalSize()
		out = append(out, c.device.View(b, offset, n))
		offset += n
	}
	return out
}

var (
	_ G.Op   = (*op)(nil)
	_ G.SDOp = (*op)(nil)
)

// Arity is the number of inputs.
func (o *op) Arity() int { return len(o.inputs()) }

// Type is the signature for gorgonia's inference.
func (o *op) Type() hm.Type {
	var types []hm.Type
	for _, s := range append(o.inputs(), o.output()) {
		types = append(types, typeOf(s))
	}
	return hm.NewFnType(types...)
}

func typeOf(s string) hm.Type {
	switch {
	case s == ".":
		return tensor.Float32
	case strings.HasPrefix(s, "#"):
		return G.TensorType{Dims: 1, Of: tensor.Int32}
	case strings.Contains(s, "|"):
		return G.TensorType{Dims: 1, Of: tensor.Float32}
	}
	return G.TensorType{Dims: len(dims(s)), Of: tensor.Float32}
}

// InferShape is the shape at full capacity.
func (o *op) InferShape(in ...G.DimSizer) (tensor.Shape, error) {
	shapes, err := G.DimSizersToShapes(in)
	if err != nil {
		return nil, err
	}
	return o.shape(o.output(), shapes), nil
}

// Do runs the operation by itself, for gorgonia's own machines: tests
// compare them with compiled programs.
func (o *op) Do(values ...G.Value) (G.Value, error) {
	d, in := reference.New(), make([]operand, len(values))
	for i, v := range values {
		in[i].shape = v.Shape()
		if list, ok := v.Data().([]int32); ok {
			in[i].ints = d.NewInts(len(list))
			d.WriteInts(in[i].ints, list)
		} else {
			data := numbers(v)
			in[i].buffer = d.NewBuffer(len(data))
			d.Write(in[i].buffer, data)
		}
	}
	c := o.on(d, ForTraining, in)
	out := make([]float32, c.shape().TotalSize())
	if o.view != nil {
		copy(out, numbers(values[len(values)-1])[*o.view:])
	} else {
		result := d.NewBuffer(len(out))
		c.to(result)()
		d.Read(out, result)
	}
	if c.shape().IsScalar() {
		return G.NewF32(out[0]), nil
	}
	return tensor.New(tensor.WithShape(c.shape()...), tensor.WithBacking(out)), nil
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
func (o *op) DiffWRT(inputs int) []bool {
	out := make([]bool, inputs)
	copy(out, o.smooth)
	return out
}

// SymDiff makes the gradient nodes.
func (o *op) SymDiff(in G.Nodes, out, grad *G.Node) (G.Nodes, error) {
	nodes := make(G.Nodes, len(in))
	copy(nodes, o.grad(in, out, grad))
	return nodes, nil
}
