package nn

import (
	"dgsbench/kernels"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// denseOfFirst is x w + b for the first rows of a matrix that has as many
// rows as like, the last input. Where x ends, its rows count as zeros.
var denseOfFirst = &op{
	name: "dense of the first rows", in: []int{2, 2, 1, 2}, sizes: []string{"nk", "km", "m", "lq"}, out: 2, rows: 3,
	smooth: []bool{true, true, true, false},
	apart:  []bool{true, false, false, true},
	shape:  func(s []tensor.Shape) tensor.Shape { return tensor.Shape{s[3][0], s[1][1]} },
	grad: func(in G.Nodes, _, g *G.Node) (G.Nodes, error) {
		d, err := applyAll(
			node{denseGradFirstX, G.Nodes{g, in[1], in[0]}},
			node{denseGradW, G.Nodes{in[0], g}},
			node{columnSums, G.Nodes{g}},
		)
		return append(d, nil), err
	},
	call: func(c *call) func() {
		whole, zeros := denseCall(c, c.in[2], false), c.device.NewInts(c.shapes[3][0])
		return func() {
			if c.rows(3) > c.rows(0) {
				c.device.GatherRows(c.rows(3), 1, c.cols(1), c.out, c.in[2], zeros)
			}
			whole()
		}
	},
}

// denseGradFirstX is g transpose(w) for the first rows of g, as many as x,
// the last input, has.
var denseGradFirstX = &op{
	name: "dense.gradx of the first rows", in: []int{2, 2, 2}, out: 2, rows: 2,
	shape: func(s []tensor.Shape) tensor.Shape { return s[2] },
	call: func(c *call) func() {
		return func() {
			c.device.Gemm(kernels.NT, c.rows(2), c.shapes[1][0], c.cols(0), c.in[0], c.in[1], c.out, nil, false)
		}
	},
}
