package nn

import G "gorgonia.org/gorgonia"

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
	h := addReLU(Dense(left, p.Left, p.LeftBias, false), Dense(right, p.Right, p.RightBias, false))
	return Dense(h, p.Out, p.OutBias, false)
}

// BCE is sum over rows of w (softplus(z) - z y): binary cross-entropy on
// logits z with targets y and weights w, each rows x 1. It has a gradient
// for z alone, g w (sigmoid(z) - y).
func BCE(z, y, w *G.Node) *G.Node {
	return op{
		name: "bce", shapes: "n1 n1 n1 -> .", smooth: []bool{true},
		run: func(c *call) { c.device.BCE(c.rows(0), c.out, c.in[0], c.in[1], c.in[2]) },
		grad: func(in G.Nodes, _, g *G.Node) G.Nodes {
			return G.Nodes{op{
				name: "bce.grad", shapes: "n1 n1 n1 . -> n1",
				run: func(c *call) { c.device.BCEGrad(c.rows(0), c.out, c.in[0], c.in[1], c.in[2], c.in[3]) },
			}.apply(in[0], in[1], in[2], g)}
		},
	}.apply(z, y, w)
}
