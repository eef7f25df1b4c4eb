package nn

import (
	G "gorgonia.org/gorgonia"
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
func PairDecoder(left, right *G.Node, p DecoderParams) (*G.Node, error) {
	projected, err := applyAll(
		node{dense, G.Nodes{left, p.Left, p.LeftBias}},
		node{dense, G.Nodes{right, p.Right, p.RightBias}},
	)
	if err != nil {
		return nil, err
	}
	h, err := addReLU.apply(projected...)
	if err != nil {
		return nil, err
	}
	return Dense(h, p.Out, p.OutBias, false)
}

// addReLU is relu(a + b). Both have one gradient.
var addReLU = &op{
	name: "add.relu", in: []int{2, 2}, out: 2, rows: 0, smooth: []bool{true, true},
	apart: []bool{true, true},
	shape: sameShape,
	grad: func(_ G.Nodes, out, g *G.Node) (G.Nodes, error) {
		d, err := reluGrad.apply(out, g)
		return G.Nodes{d, d}, err
	},
	call: func(c *call) func() {
		return func() { c.device.AddReLU(c.rows(0)*c.cols(0), c.out, c.in[0], c.in[1]) }
	},
}
