package nn

import (
	"fmt"

	"dgsbench/kernels"

	G "gorgonia.org/gorgonia"
)

// Dense is relu(x w + b), or x w + b: x is rows x in, w in x out, b out.
func Dense(x, w, b *G.Node, relu bool) *G.Node {
	o := op{
		name: "dense", shapes: "nk km m -> nm", smooth: []bool{true, true, true}, apart: true,
		grad: func(in G.Nodes, _, g *G.Node) G.Nodes { return denseGrad(in, g) },
		run:  func(c *call) { c.dense(c.in[2], relu) },
	}
	if relu {
		o.name = "dense.relu"
		o.grad = func(in G.Nodes, out, g *G.Node) G.Nodes { return denseGrad(in, reluGrad(out, g)) }
	}
	return o.apply(x, w, b)
}

// Linear is x w, without bias: x is rows x in, w in x out.
func Linear(x, w *G.Node) *G.Node {
	return op{
		name: "linear", shapes: "nk km -> nm", smooth: []bool{true, true}, apart: true,
		grad: func(in G.Nodes, _, g *G.Node) G.Nodes { return denseGrad(in, g) },
		run:  func(c *call) { c.dense(nil, false) },
	}.apply(x, w)
}

// denseOfFirst is x w + b for the first rows of a matrix that has as many
// rows as like. Where x ends, its rows count as zeros.
func denseOfFirst(x, w, b, like *G.Node) *G.Node {
	return op{
		name: "dense of the first rows", shapes: "Nk km m nq -> nm", smooth: []bool{true, true, true}, apart: true,
		grad: func(in G.Nodes, _, g *G.Node) G.Nodes { return denseGrad(in, g) },
		call: func(c *call) func() {
			zeros := c.device.NewInts(c.shapes[3][0])
			return func() {
				if c.rows(3) > c.rows(0) {
					c.device.GatherRows(c.rows(3), 1, c.cols(1), c.out, c.in[2], zeros)
				}
				c.dense(c.in[2], false)
			}
		},
	}.apply(x, w, b, like)
}

func (c *call) dense(bias kernels.Buffer, relu bool) {
	c.device.Gemm(kernels.NN, c.rows(0), c.cols(1), c.cols(0), c.in[0], c.in[1], c.out, bias, relu)
}

// denseGrad is the gradients of x, w and, if there is one, b: g transpose(w),
// transpose(x) g and the sum of g's rows. x may be the first rows only.
func denseGrad(in G.Nodes, g *G.Node) G.Nodes {
	x := denseGradX(g, in[1], in[0])
	w := op{
		name: "dense.gradw", shapes: "nk lm -> km",
		run: func(c *call) {
			c.device.Gemm(kernels.TN, c.cols(0), c.cols(1), c.rows(0), c.in[0], c.in[1], c.out, nil, false)
		},
	}.apply(in[0], g)
	if len(in) == 2 {
		return G.Nodes{x, w}
	}
	return G.Nodes{x, w, columnSums(g)}
}

// denseGradX is the gradient of x. If that is columns side by side, so is the
// gradient: programs leave out what nobody asks for.
func denseGradX(g, w, x *G.Node) *G.Node {
	parts, offset := concatenated(x), 0
	if parts == nil {
		return denseGradColumns(g, w, x, 0)
	}
	grads := make([]*G.Node, len(parts))
	for i, part := range parts {
		grads[i] = denseGradColumns(g, w, part, offset)
		offset += part.Shape()[1]
	}
	return Concat(grads...)
}

// denseGradColumns is the gradient of x, which is columns from offset on of the
// left side of the product with w.
func denseGradColumns(g, w, x *G.Node, offset int) *G.Node {
	return op{
		name: fmt.Sprintf("dense.gradx from %d", offset), shapes: "lm km nq -> nq",
		call: func(c *call) func() {
			rows := c.device.View(c.in[1], offset*c.cols(0), c.cols(2)*c.cols(0))
			return func() { c.device.Gemm(kernels.NT, c.rows(2), c.cols(2), c.cols(0), c.in[0], rows, c.out, nil, false) }
		},
	}.apply(g, w, x)
}

// columnSums is the gradient of a bias.
func columnSums(g *G.Node) *G.Node {
	return op{
		name: "columnsums", shapes: "nk -> k",
		run: func(c *call) { c.device.ColumnSums(c.rows(0), c.cols(0), c.out, c.in[0]) },
	}.apply(g)
}

// Gather is the rows of x that index lists, in its order. The gradients of
// a row that is listed several times are added in that order.
func Gather(x, index *G.Node) *G.Node {
	return op{
		name: "gather", shapes: "nk #e -> ek", smooth: []bool{true}, apart: true,
		grad: func(in G.Nodes, _, g *G.Node) G.Nodes { return G.Nodes{Scatter(g, in[1], in[0])} },
		run:  func(c *call) { c.device.GatherRows(c.rows(1), c.rows(0), c.cols(0), c.out, c.in[0], c.ints[1]) },
	}.apply(x, index)
}

// Scatter puts row i of x at row index[i] of a matrix that has as many rows
// as like, and zeros elsewhere. Rows of x with one index are added, in order.
func Scatter(x, index, like *G.Node) *G.Node {
	return op{
		name: "scatter", shapes: "ek #i nq -> nk", smooth: []bool{true},
		grad: func(in G.Nodes, _, g *G.Node) G.Nodes { return G.Nodes{Gather(g, in[1])} },
		run: func(c *call) {
			c.device.Zero(c.rows(2)*c.cols(0), c.out)
			c.device.ScatterAddRows(c.rows(1), c.rows(2), c.cols(0), c.out, c.in[0], c.ints[1])
		},
	}.apply(x, index, like)
}

// Transpose transposes x block by block. The result has as many rows as like, and K
// columns for there to be as many numbers: with C columns of x, a block is K rows of x
// and C rows of the result. So the one column of x (C = 1) is laid out as rows.
func Transpose(x, like *G.Node) *G.Node {
	rows := x.Shape().TotalSize() / like.Shape()[0] // of a block
	if rows == 0 || x.Shape()[0]%rows != 0 || rows*like.Shape()[0] != x.Shape().TotalSize() {
		panic(fmt.Sprintf("nn: transpose: %v has no blocks for %d rows", x.Shape(), like.Shape()[0]))
	}
	return op{
		name: "transpose", shapes: fmt.Sprintf("nc mq -> m%d", rows), smooth: []bool{true},
		grad: func(in G.Nodes, _, g *G.Node) G.Nodes { return G.Nodes{Transpose(g, in[0])} },
		call: func(c *call) func() {
			from, list := make([]int32, c.size(0)), c.device.NewInts(c.size(0))
			cols := c.cols(0)
			for i := range from {
				block, at := i-i%(rows*cols), i%(rows*cols)
				from[i] = int32(block + at%rows*cols + at/rows)
			}
			c.device.WriteInts(list, from)
			return func() {
				n := c.numbers(0)
				c.device.GatherRows(n, n, 1, c.out, c.in[0], list)
			}
		},
	}.apply(x, like)
}
