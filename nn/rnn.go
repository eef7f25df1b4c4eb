package nn

import (
	"fmt"

	G "gorgonia.org/gorgonia"
)

// RNN is PyTorch's RNNCell with tanh: the state after q (rows x M) has seen
// a (rows x A),
//
//	tanh(a wi + bi + q wh + bh)
//
// with the weights in x out as those of Dense, A x M and M x M. a may have
// fewer active rows than q. The rest of q then sees zeros.
func RNN(a, q, wi, wh, bi, bh *G.Node) (*G.Node, error) {
	if state, units := q.Shape()[q.Dims()-1], bi.Shape()[0]; units != state {
		return nil, fmt.Errorf("rnn: %d units for a state of %d, expected as many", units, state)
	}
	parts, err := applyAll(node{denseOfFirst, G.Nodes{a, wi, bi, q}}, node{dense, G.Nodes{q, wh, bh}})
	if err != nil {
		return nil, err
	}
	return tanhSum.apply(parts...)
}

// tanhSum is tanh(a + b), by way of tanh x = 2 sigmoid(2x) - 1. Both have
// one gradient.
var tanhSum = &op{
	name: "tanh of a sum", in: []int{2, 2}, sizes: []string{"nk", "nk"}, out: 2, rows: 0, smooth: []bool{true, true},
	apart: []bool{true, true},
	shape: sameShape,
	grad: func(_ G.Nodes, out, g *G.Node) (G.Nodes, error) {
		d, err := tanhGrad.apply(out, g)
		return G.Nodes{d, d}, err
	},
	call: func(c *call) func() {
		return func() {
			n := c.rows(0) * c.cols(0)
			c.device.Add(n, c.out, c.in[0], c.in[1])
			c.device.Affine(n, c.out, 2, c.out, 0)
			c.device.Sigmoid(n, c.out, c.out)
			c.device.Affine(n, c.out, 2, c.out, -1)
		}
	},
}

// tanhGrad is g (1 - y^2), y being the result.
var tanhGrad = &op{
	name: "tanh gradient", in: []int{2, 2}, sizes: []string{"nk", "nk"}, out: 2, rows: 0,
	shape: sameShape,
	call: func(c *call) func() {
		return func() {
			n := c.rows(0) * c.cols(0)
			c.device.Mul(n, c.out, c.in[0], c.in[0])
			c.device.Affine(n, c.out, -1, c.out, 1)
			c.device.Mul(n, c.out, c.out, c.in[1])
		}
	},
}
