package nn

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"dgsbench/kernels"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Add is a + b, of equal shapes. Gorgonia adds the same node where a value
// has several gradients.
func Add(a, b *G.Node) *G.Node { return G.Must(G.Add(a, b)) }

// sum is what gorgonia's addition becomes.
var sum = &op{
	name: "sum", in: []int{2, 2}, sizes: []string{"nk", "nk"}, out: 2, apart: []bool{true, true},
	run: func(c *call) {
		n := c.size(0)
		if c.active[0] != nil {
			n = c.numbers(0)
		}
		c.device.Add(n, c.out, c.in[0], c.in[1])
	},
}

// ReLU is max(x, 0), elementwise. After a product alone Dense does it in one
// pass.
func ReLU(x *G.Node) *G.Node { return relu.apply(x) }

var relu = &op{
	name: "relu", in: []int{2}, out: 2, smooth: []bool{true}, apart: []bool{true},
	grad: func(_ G.Nodes, out, g *G.Node) G.Nodes { return G.Nodes{reluGrad.apply(out, g)} },
	call: func(c *call) func() {
		zero := c.device.NewBuffer(c.size(0))
		return func() { c.device.AddReLU(c.numbers(0), c.out, c.in[0], zero) }
	},
}

// addReLU is relu(a + b). Both have one gradient.
var addReLU = &op{
	name: "add.relu", in: []int{2, 2}, out: 2, smooth: []bool{true, true}, apart: []bool{true, true},
	grad: func(_ G.Nodes, out, g *G.Node) G.Nodes {
		d := reluGrad.apply(out, g)
		return G.Nodes{d, d}
	},
	run: func(c *call) { c.device.AddReLU(c.numbers(0), c.out, c.in[0], c.in[1]) },
}

// reluGrad passes the gradient where the output is above zero.
var reluGrad = &op{
	name: "relu.grad", in: []int{2, 2}, sizes: []string{"nk", "nk"}, out: 2,
	run: func(c *call) { c.device.ReLUGrad(c.numbers(0), c.out, c.in[0], c.in[1]) },
}

// Sigmoid is 1/(1 + e^-x), elementwise; x is a vector or a matrix.
func Sigmoid(x *G.Node) *G.Node {
	if x.Dims() == 1 {
		return sigmoidVector.apply(x)
	}
	return sigmoidMatrix.apply(x)
}

var sigmoidVector, sigmoidMatrix = sigmoid("sigmoid of a vector", 1), sigmoid("sigmoid", 2)

func sigmoid(name string, dims int) *op {
	grad := &op{
		name: name + " gradient", in: []int{dims, dims}, out: dims,
		run: func(c *call) { c.device.SigmoidGrad(c.numbers(0), c.out, c.in[0], c.in[1]) },
	}
	return &op{
		name: name, in: []int{dims}, out: dims, smooth: []bool{true}, apart: []bool{true},
		grad: func(_ G.Nodes, y, g *G.Node) G.Nodes { return G.Nodes{grad.apply(g, y)} },
		run:  func(c *call) { c.device.Sigmoid(c.numbers(0), c.out, c.in[0]) },
	}
}

// tanhSum is tanh(a + b), by way of tanh x = 2 sigmoid(2x) - 1. Both have
// one gradient.
var tanhSum = &op{
	name: "tanh of a sum", in: []int{2, 2}, sizes: []string{"nk", "nk"}, out: 2, smooth: []bool{true, true}, apart: []bool{true, true},
	grad: func(_ G.Nodes, out, g *G.Node) G.Nodes {
		d := tanhGrad.apply(out, g)
		return G.Nodes{d, d}
	},
	run: func(c *call) {
		n := c.numbers(0)
		c.device.Add(n, c.out, c.in[0], c.in[1])
		c.device.Affine(n, c.out, 2, c.out, 0)
		c.device.Sigmoid(n, c.out, c.out)
		c.device.Affine(n, c.out, 2, c.out, -1)
	},
}

// tanhGrad is g (1 - y^2), y being the result.
var tanhGrad = &op{
	name: "tanh gradient", in: []int{2, 2}, sizes: []string{"nk", "nk"}, out: 2,
	run: func(c *call) {
		n := c.numbers(0)
		c.device.Mul(n, c.out, c.in[0], c.in[0])
		c.device.Affine(n, c.out, -1, c.out, 1)
		c.device.Mul(n, c.out, c.out, c.in[1])
	},
}

// Dropout is h times mask, elementwise, in training, and h in programs made
// for inference. Every site has a mask of its own, which DrawMask fills.
func Dropout(h, mask *G.Node) *G.Node { return dropout.apply(h, mask) }

var dropout = &op{
	name: "dropout", in: []int{2, 2}, sizes: []string{"nk", "nk"}, out: 2, smooth: []bool{true, false},
	trainingOnly: true,
	run:          func(c *call) { c.device.Mul(c.numbers(0), c.out, c.in[0], c.in[1]) },
}

// The gradient is the same operation, which a variable's own initialiser
// cannot name.
func init() {
	dropout.grad = func(in G.Nodes, _, g *G.Node) G.Nodes { return G.Nodes{dropout.apply(g, in[1]), nil} }
}

// DrawMask fills mask with 0 for dropped units, a share p of them, and
// 1/(1-p) for the rest.
func DrawMask(mask []float32, p float64, rng *rand.Rand) {
	keep := float32(1 / (1 - p))
	for i := range mask {
		mask[i] = keep
		if p > 0 && rng.Float64() < p {
			mask[i] = 0
		}
	}
}

// TrainingOr is x in programs for training, and y in those for inference:
// what training computes in one way may be had in a shorter one. Both have the
// same columns.
func TrainingOr(x, y *G.Node) *G.Node { return trainingOr.apply(y, x) }

var trainingOr = &op{
	name: "training or inference", in: []int{2, 2}, sizes: []string{"nk", "mk"}, out: 2, rows: 1, smooth: []bool{false, true},
	shape:        func(s []tensor.Shape) tensor.Shape { return s[1] },
	trainingOnly: true,
	run:          func(c *call) { c.device.CopyRows(c.rows(1), c.cols(1), c.out, c.cols(1), c.in[1], c.cols(1)) },
	grad:         func(_ G.Nodes, _, g *G.Node) G.Nodes { return G.Nodes{nil, g} },
}

// Spread is a vector of n times the one number of x, a vector, too.
func Spread(x *G.Node, n int) *G.Node {
	o := &op{
		name: fmt.Sprintf("spread over %d", n), in: []int{1}, sizes: []string{"1"}, out: 1, rows: fixed, smooth: []bool{true},
		shape: func([]tensor.Shape) tensor.Shape { return tensor.Shape{n} },
		grad:  func(_ G.Nodes, _, g *G.Node) G.Nodes { return G.Nodes{spreadGrad.apply(g)} },
		call: func(c *call) func() {
			zeros := c.device.NewInts(n)
			return func() { c.device.GatherRows(n, 1, 1, c.out, c.in[0], zeros) }
		},
	}
	return o.apply(x)
}

// spreadGrad is the sum of a vector, in order.
var spreadGrad = &op{
	name: "spread gradient", in: []int{1}, out: 1, rows: fixed,
	shape: func([]tensor.Shape) tensor.Shape { return tensor.Shape{1} },
	run:   func(c *call) { c.device.ColumnSums(c.size(0), 1, c.out, c.in[0]) },
}

// Concat puts the columns of matrices of equally many rows side by side.
func Concat(x ...*G.Node) *G.Node { return concat(len(x)).apply(x...) }

func concat(n int) *op {
	sizes := make([]string, n) // the same rows n, and columns of each input's own
	for i := range sizes {
		sizes[i] = "n" + string(rune('A'+i))
	}
	return &op{
		name: fmt.Sprintf("concat %d", n), in: slices.Repeat([]int{2}, n), out: 2, sizes: sizes,
		smooth: slices.Repeat([]bool{true}, n), apart: slices.Repeat([]bool{true}, n),
		shape: func(s []tensor.Shape) tensor.Shape { return tensor.Shape{s[0][0], totalColumns(s)} },
		grad: func(in G.Nodes, _, g *G.Node) G.Nodes {
			out, offset := make(G.Nodes, n), 0
			for i, x := range in {
				out[i] = columns(offset).apply(g, x)
				offset += x.Shape()[1]
			}
			return out
		},
		call: func(c *call) func() {
			width, to, offset := totalColumns(c.shapes), make([]kernels.Buffer, n), 0
			for i := range to {
				to[i] = c.device.View(c.out, offset, c.shapes[i][0]*width-offset)
				offset += c.cols(i)
			}
			return func() {
				for i := range to {
					c.device.CopyRows(c.rows(0), c.cols(i), to[i], width, c.in[i], c.cols(i))
				}
			}
		},
	}
}

func totalColumns(s []tensor.Shape) int {
	n := 0
	for _, shape := range s {
		n += shape[1]
	}
	return n
}

// columns are those of the first input from offset on, as many as the second
// input has.
func columns(offset int) *op {
	return &op{
		name: fmt.Sprintf("columns from %d", offset), in: []int{2, 2}, out: 2,
		shape: func(s []tensor.Shape) tensor.Shape { return s[1] },
		call: func(c *call) func() {
			from := c.device.View(c.in[0], offset, c.size(0)-offset)
			return func() { c.device.CopyRows(c.rows(0), c.cols(1), c.out, c.cols(1), from, c.cols(0)) }
		},
	}
}
