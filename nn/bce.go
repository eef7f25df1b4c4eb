package nn

import (
	"fmt"

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

// MeanBCE is the mean over rows of binary cross-entropy on logits z with
// targets y of 0 and 1, the positive ones weighted by posWeight: PyTorch's
// BCEWithLogitsLoss.
func MeanBCE(z, y *G.Node, posWeight float64) (*G.Node, error) {
	w, err := meanWeights(posWeight).apply(y)
	if err != nil {
		return nil, err
	}
	return BCE(z, y, w)
}

// meanWeights is 1/rows for targets of 0, posWeight/rows for those of 1.
func meanWeights(posWeight float64) *op {
	return &op{
		name: fmt.Sprintf("bce.weights positive %g", posWeight), in: []int{2}, out: 2, rows: 0, sizes: []string{"n1"},
		shape: sameShape,
		call: func(c *call) func() {
			return func() {
				if n := c.rows(0); n > 0 {
					c.device.Affine(n, c.out, (posWeight-1)/float64(n), c.in[0], 1/float64(n))
				}
			}
		},
	}
}
