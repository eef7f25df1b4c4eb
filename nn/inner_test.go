package nn

import (
	"dgsbench/kernels"

	G "gorgonia.org/gorgonia"
)

// inner is the sum of a b, elementwise, with a gradient for a. It is made of
// products that a device has anyway.
func inner(a, b *G.Node) *G.Node {
	return op{
		name: "inner", shapes: "nk mk -> .", smooth: []bool{true},
		run: func(c *call) {
			c.device.Gemm(kernels.NN, 1, 1, c.numbers(0), c.in[0], c.in[1], c.out, nil, false)
		},
		grad: func(in G.Nodes, _, g *G.Node) G.Nodes {
			return G.Nodes{op{
				name: "inner.grad", shapes: "nk mk . -> nk",
				run: func(c *call) {
					c.device.Gemm(kernels.NN, 1, c.numbers(0), 1, c.in[2], c.in[1], c.out, nil, false)
				},
			}.apply(in[0], in[1], g)}
		},
	}.apply(a, b)
}
