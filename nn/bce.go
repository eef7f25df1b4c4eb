package nn

import (
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// BCE is sum over rows of w (softplus(z) - z y): binary cross-entropy on
// logits z with targets y and weights w, each rows x 1. It has a gradient
// for z alone.
func BCE(z, y, w *G.Node) (*G.Node, error) { return bce.apply(z, y, w) }

var bce = &op{
	name: "bce", in: []int{2, 2, 2}, sizes: []string{"n1", "n1", "n1"}, out: 0, rows: fixed, smooth: []bool{true, false, false},
	shape: func([]tensor.Shape) tensor.Shape { return tensor.ScalarShape() },
	grad: func(in G.Nodes, _, g *G.Node) (G.Nodes, error) {
		dz, err := bceGrad.apply(in[0], in[1], in[2], g)
		return G.Nodes{dz, nil, nil}, err
	},
	call: func(c *call) func() {
		return func() { c.device.BCE(c.rows(0), c.out, c.in[0], c.in[1], c.in[2]) }
	},
}

// bceGrad is g w (sigmoid(z) - y).
var bceGrad = &op{
	name: "bce.grad", in: []int{2, 2, 2, 0}, out: 2, rows: 0,
	shape: sameShape,
	call: func(c *call) func() {
		return func() { c.device.BCEGrad(c.rows(0), c.out, c.in[0], c.in[1], c.in[2], c.in[3]) }
	},
}
