package nn

import (
	"dgsbench/kernels"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Dense is relu(x w + b), or x w + b: x is rows x in, w in x out, b out.
func Dense(x, w, b *G.Node, relu bool) (*G.Node, error) {
	if relu {
		return denseReLU.apply(x, w, b)
	}
	return dense.apply(x, w, b)
}

// Linear is x w, without bias: x is rows x in, w in x out.
func Linear(x, w *G.Node) (*G.Node, error) { return linear.apply(x, w) }

var dense = &op{
	name: "dense", in: []int{2, 2, 1}, sizes: []string{"nk", "km", "m"}, out: 2, rows: 0, smooth: []bool{true, true, true},
	apart: []bool{true, false, false},
	shape: denseShape,
	grad:  func(in G.Nodes, _, g *G.Node) (G.Nodes, error) { return denseGrad(in, g) },
	call:  func(c *call) func() { return denseCall(c, c.in[2], false) },
}

var denseReLU = &op{
	name: "dense.relu", in: []int{2, 2, 1}, sizes: []string{"nk", "km", "m"}, out: 2, rows: 0, smooth: []bool{true, true, true},
	apart: []bool{true, false, false},
	shape: denseShape,
	grad: func(in G.Nodes, out, g *G.Node) (G.Nodes, error) {
		g, err := reluGrad.apply(out, g)
		if err != nil {
			return nil, err
		}
		return denseGrad(in, g)
	},
	call: func(c *call) func() { return denseCall(c, c.in[2], true) },
}

var linear = &op{
	name: "linear", in: []int{2, 2}, sizes: []string{"nk", "km"}, out: 2, rows: 0, smooth: []bool{true, true},
	apart: []bool{true, false},
	shape: denseShape,
	grad: func(in G.Nodes, _, g *G.Node) (G.Nodes, error) {
		return applyAll(node{denseGradX, G.Nodes{g, in[1]}}, node{denseGradW, G.Nodes{in[0], g}})
	},
	call: func(c *call) func() { return denseCall(c, nil, false) },
}

func denseShape(s []tensor.Shape) tensor.Shape { return tensor.Shape{s[0][0], s[1][1]} }

func denseCall(c *call, bias kernels.Buffer, relu bool) func() {
	return func() {
		c.device.Gemm(kernels.NN, c.rows(0), c.cols(1), c.cols(0), c.in[0], c.in[1], c.out, bias, relu)
	}
}

func denseGrad(in G.Nodes, g *G.Node) (G.Nodes, error) {
	return applyAll(
		node{denseGradX, G.Nodes{g, in[1]}},
		node{denseGradW, G.Nodes{in[0], g}},
		node{columnSums, G.Nodes{g}},
	)
}

// node is an operation to be put into a graph.
type node struct {
	op *op
	in G.Nodes
}

// applyAll makes the nodes, in order.
func applyAll(nodes ...node) (G.Nodes, error) {
	out := make(G.Nodes, len(nodes))
	for i, n := range nodes {
		var err error
		if out[i], err = n.op.apply(n.in...); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// reluGrad passes the gradient where the output is above zero.
var reluGrad = &op{
	name: "relu.grad", in: []int{2, 2}, sizes: []string{"nk", "nk"}, out: 2, rows: 0,
	shape: sameShape,
	call: func(c *call) func() {
		return func() { c.device.ReLUGrad(c.rows(0)*c.cols(0), c.out, c.in[0], c.in[1]) }
	},
}

// denseGradX is g transpose(w).
var denseGradX = &op{
	name: "dense.gradx", in: []int{2, 2}, out: 2, rows: 0,
	shape: func(s []tensor.Shape) tensor.Shape { return tensor.Shape{s[0][0], s[1][0]} },
	call: func(c *call) func() {
		return func() {
			c.device.Gemm(kernels.NT, c.rows(0), c.shapes[1][0], c.cols(0), c.in[0], c.in[1], c.out, nil, false)
		}
	},
}

// denseGradW is transpose(x) g.
var denseGradW = &op{
	name: "dense.gradw", in: []int{2, 2}, out: 2, rows: fixed,
	shape: func(s []tensor.Shape) tensor.Shape { return tensor.Shape{s[0][1], s[1][1]} },
	call: func(c *call) func() {
		return func() {
			c.device.Gemm(kernels.TN, c.cols(0), c.cols(1), c.rows(0), c.in[0], c.in[1], c.out, nil, false)
		}
	},
}

// columnSums is the gradient of a bias.
var columnSums = &op{
	name: "columnsums", in: []int{2}, out: 1, rows: fixed,
	shape: func(s []tensor.Shape) tensor.Shape { return tensor.Shape{s[0][1]} },
	call: func(c *call) func() {
		return func() { c.device.ColumnSums(c.rows(0), c.cols(0), c.out, c.in[0]) }
	},
}
