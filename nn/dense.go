package nn

import (
	"dgsbench/kernels"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Dense is relu(x w + b), or x w + b: x is rows x in, w in x out, b out.
func Dense(x, w, b *G.Node, relu bool) *G.Node {
	if relu {
		return denseReLU.apply(x, w, b)
	}
	return dense.apply(x, w, b)
}

// Linear is x w, without bias: x is rows x in, w in x out.
func Linear(x, w *G.Node) *G.Node { return linear.apply(x, w) }

var (
	dense     = denseOp("dense", false)
	denseReLU = denseOp("dense.relu", true)
)

func denseOp(name string, relu bool) *op {
	return &op{
		name: name, in: []int{2, 2, 1}, sizes: []string{"nk", "km", "m"}, out: 2, smooth: []bool{true, true, true},
		apart: []bool{true, false, false},
		shape: denseShape,
		grad: func(in G.Nodes, out, g *G.Node) G.Nodes {
			if relu {
				g = reluGrad.apply(out, g)
			}
			return G.Nodes{denseGradX.apply(g, in[1]), denseGradW.apply(in[0], g), columnSums.apply(g)}
		},
		run: func(c *call) { c.dense(c.in[2], relu) },
	}
}

var linear = &op{
	name: "linear", in: []int{2, 2}, sizes: []string{"nk", "km"}, out: 2, smooth: []bool{true, true},
	apart: []bool{true, false},
	shape: denseShape,
	grad: func(in G.Nodes, _, g *G.Node) G.Nodes {
		return G.Nodes{denseGradX.apply(g, in[1]), denseGradW.apply(in[0], g)}
	},
	run: func(c *call) { c.dense(nil, false) },
}

// denseOfFirst is x w + b for the first rows of a matrix that has as many
// rows as like, the last input. Where x ends, its rows count as zeros.
var denseOfFirst = &op{
	name: "dense of the first rows", in: []int{2, 2, 1, 2}, sizes: []string{"nk", "km", "m", "lq"}, out: 2, rows: 3,
	smooth: []bool{true, true, true, false},
	apart:  []bool{true, false, false, true},
	shape:  func(s []tensor.Shape) tensor.Shape { return tensor.Shape{s[3][0], s[1][1]} },
	grad: func(in G.Nodes, _, g *G.Node) G.Nodes {
		return G.Nodes{denseGradFirstX.apply(g, in[1], in[0]), denseGradW.apply(in[0], g), columnSums.apply(g), nil}
	},
	call: func(c *call) func() {
		zeros := c.device.NewInts(c.shapes[3][0])
		return func() {
			if c.rows(3) > c.rows(0) {
				c.device.GatherRows(c.rows(3), 1, c.cols(1), c.out, c.in[2], zeros)
			}
			c.dense(c.in[2], false)
		}
	},
}

func denseShape(s []tensor.Shape) tensor.Shape { return tensor.Shape{s[0][0], s[1][1]} }

func (c *call) dense(bias kernels.Buffer, relu bool) {
	c.device.Gemm(kernels.NN, c.rows(0), c.cols(1), c.cols(0), c.in[0], c.in[1], c.out, bias, relu)
}

// denseGradX is g transpose(w).
var denseGradX = &op{
	name: "dense.gradx", in: []int{2, 2}, out: 2,
	shape: func(s []tensor.Shape) tensor.Shape { return tensor.Shape{s[0][0], s[1][0]} },
	run: func(c *call) {
		c.device.Gemm(kernels.NT, c.rows(0), c.shapes[1][0], c.cols(0), c.in[0], c.in[1], c.out, nil, false)
	},
}

// denseGradFirstX is g transpose(w) for the first rows of g, as many as x,
// the last input, has.
var denseGradFirstX = &op{
	name: "dense.gradx of the first rows", in: []int{2, 2, 2}, out: 2, rows: 2,
	shape: func(s []tensor.Shape) tensor.Shape { return s[2] },
	run: func(c *call) {
		c.device.Gemm(kernels.NT, c.rows(2), c.shapes[1][0], c.cols(0), c.in[0], c.in[1], c.out, nil, false)
	},
}

// denseGradW is transpose(x) g.
var denseGradW = &op{
	name: "dense.gradw", in: []int{2, 2}, out: 2, rows: fixed,
	shape: func(s []tensor.Shape) tensor.Shape { return tensor.Shape{s[0][1], s[1][1]} },
	run: func(c *call) {
		c.device.Gemm(kernels.TN, c.cols(0), c.cols(1), c.rows(0), c.in[0], c.in[1], c.out, nil, false)
	},
}

// columnSums is the gradient of a bias.
var columnSums = &op{
	name: "columnsums", in: []int{2}, out: 1, rows: fixed,
	shape: func(s []tensor.Shape) tensor.Shape { return tensor.Shape{s[0][1]} },
	run:   func(c *call) { c.device.ColumnSums(c.rows(0), c.cols(0), c.out, c.in[0]) },
}

// Gather is the rows of x that index lists, in its order. The gradients of
// a row that is listed several times are added in that order.
func Gather(x, index *G.Node) *G.Node { return gather.apply(x, index) }

var gather = &op{
	name: "gather", in: []int{2, ints}, out: 2, rows: 1, smooth: []bool{true, false}, apart: []bool{false, true},
	shape: func(s []tensor.Shape) tensor.Shape { return tensor.Shape{s[1][0], s[0][1]} },
	run:   func(c *call) { c.device.GatherRows(c.rows(1), c.rows(0), c.cols(0), c.out, c.in[0], c.ints[1]) },
}

// Scatter puts row i of x at row index[i] of a matrix that has as many rows
// as like, and zeros elsewhere. Rows of x with one index are added, in order.
func Scatter(x, index, like *G.Node) *G.Node { return scatter.apply(x, index, like) }

var scatter = &op{
	name: "scatter", in: []int{2, ints, 2}, out: 2, rows: 2, smooth: []bool{true, false, false},
	shape: func(s []tensor.Shape) tensor.Shape { return tensor.Shape{s[2][0], s[0][1]} },
	run: func(c *call) {
		c.device.Zero(c.rows(2)*c.cols(0), c.out)
		c.device.ScatterAddRows(c.rows(1), c.rows(2), c.cols(0), c.out, c.in[0], c.ints[1])
	},
}

// Each is the gradient of the other, which initialisers cannot say.
func init() {
	gather.grad = func(in G.Nodes, _, g *G.Node) G.Nodes { return G.Nodes{scatter.apply(g, in[1], in[0]), nil} }
	scatter.grad = func(in G.Nodes, _, g *G.Node) G.Nodes { return G.Nodes{gather.apply(g, in[1]), nil, nil} }
}
