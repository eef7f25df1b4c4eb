package nn

import (
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// DecoderParams are those of a pair decoder; the matrices are in x out.
type DecoderParams struct {
	Left, LeftBias   *G.Node // D x H and H
	Right, RightBias *G.Node // D x H and H
	Out, OutBias     *G.Node // H x 1 and 1
}

// PairDecoder scores pairs of rows, rows x 1: TGN's link predictor
//
//	relu(left Wl + bl + right Wr + br) Wo + bo
func PairDecoder(left, right *G.Node, p DecoderParams) *G.Node {
	h := addReLU.apply(dense.apply(left, p.Left, p.LeftBias), dense.apply(right, p.Right, p.RightBias))
	return Dense(h, p.Out, p.OutBias, false)
}

// BCE is sum over rows of w (softplus(z) - z y): binary cross-entropy on
// logits z with targets y and weights w, each rows x 1. It has a gradient
// for z alone.
func BCE(z, y, w *G.Node) *G.Node { return bce.apply(z, y, w) }

var bce = &op{
	name: "bce", in: []int{2, 2, 2}, sizes: []string{"n1", "n1", "n1"}, out: 0, rows: fixed, smooth: []bool{true, false, false},
	shape: func([]tensor.Shape) tensor.Shape { return tensor.ScalarShape() },
	grad: func(in G.Nodes, _, g *G.Node) G.Nodes {
		return G.Nodes{bceGrad.apply(in[0], in[1], in[2], g), nil, nil}
	},
	run: func(c *call) { c.device.BCE(c.rows(0), c.out, c.in[0], c.in[1], c.in[2]) },
}

// bceGrad is g w (sigmoid(z) - y).
var bceGrad = &op{
	name: "bce.grad", in: []int{2, 2, 2, 0}, out: 2,
	run: func(c *call) { c.device.BCEGrad(c.rows(0), c.out, c.in[0], c.in[1], c.in[2], c.in[3]) },
}
