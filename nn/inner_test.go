package nn

import (
	"dgsbench/kernels"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// inner is the sum of a b, elementwise, with a gradient for a. It is made of
// products that a device has anyway.
var inner = &op{
	name: "inner", in: []int{2, 2}, out: 0, rows: fixed, smooth: []bool{true, false},
	shape: func([]tensor.Shape) tensor.Shape { return tensor.ScalarShape() },
	grad:  func(in G.Nodes, _, g *G.Node) G.Nodes { return G.Nodes{innerGrad.apply(in[0], in[1], g), nil} },
	run: func(c *call) {
		c.device.Gemm(kernels.NN, 1, 1, c.numbers(0), c.in[0], c.in[1], c.out, nil, false)
	},
}

var innerGrad = &op{
	name: "inner.grad", in: []int{2, 2, 0}, out: 2,
	run: func(c *call) {
		c.device.Gemm(kernels.NN, 1, c.numbers(0), 1, c.in[2], c.in[1], c.out, nil, false)
	},
}
