package nn

import (
	"fmt"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// GRU is PyTorch's GRU cell: the state after q (rows x M) has seen a (rows x
// A). The weights are in x out as those of Dense, A x 3M and M x 3M, that is
// PyTorch's weight_ih and weight_hh transposed; columns and biases (3M) hold
// the gates r, z, n:
//
//	r = sigmoid(a wi_r + bi_r + q wh_r + bh_r)
//	z = sigmoid(a wi_z + bi_z + q wh_z + bh_z)
//	n = tanh(a wi_n + bi_n + r (q wh_n + bh_n))
//	state = (1 - z) n + z q
//
// a may have fewer active rows than q. The rest of q then sees zeros.
func GRU(a, q, wi, wh, bi, bh *G.Node) (*G.Node, error) {
	if state, gates := q.Shape()[q.Dims()-1], bi.Shape()[0]; gates != 3*state {
		return nil, fmt.Errorf("gru: %d gate units for a state of %d, expected three times as many", gates, state)
	}
	gi, err := denseOfFirst.apply(a, wi, bi, q)
	if err != nil {
		return nil, err
	}
	gh, err := Dense(q, wh, bh, false)
	if err != nil {
		return nil, err
	}
	packed, err := gruPacked.apply(gi, gh, q)
	if err != nil {
		return nil, err
	}
	return gru.apply(gi, gh, q, packed)
}

// gruPacked is state | gates.
var gruPacked = &op{
	name: "gru.packed", in: []int{2, 2, 2}, sizes: []string{"ng", "ng", "nm"}, out: 1, rows: fixed,
	apart: []bool{true, true, true},
	shape: func(s []tensor.Shape) tensor.Shape { return packedShape(s[2].TotalSize(), s[0].TotalSize()) },
	call: func(c *call) func() {
		p := c.sections(c.out, c.size(2), c.size(0))
		return func() { c.device.GRUCell(c.rows(2), c.cols(2), p[0], p[1], c.in[0], c.in[1], c.in[2]) }
	},
}

// gru is the state.
var gru = &op{
	name: "gru", in: []int{2, 2, 2, 1}, out: 2, rows: 2, smooth: []bool{true, true, true, false},
	apart: []bool{true, true, true, true},
	shape: func(s []tensor.Shape) tensor.Shape { return s[2] },
	view:  &window{3, 0},
	grad: func(in G.Nodes, _, g *G.Node) (G.Nodes, error) {
		packed, err := gruGrad.apply(g, in[3], in[1], in[2])
		if err != nil {
			return nil, err
		}
		d, err := parts(packed, in[0], in[1], in[2])
		return append(d, nil), err
	},
}

// gruGrad is the gradients of gi | gh | q, from that of the state, the packed
// result, gh and q.
var gruGrad = &op{
	name: "gru.grad", in: []int{2, 1, 2, 2}, out: 1, rows: fixed,
	shape: func(s []tensor.Shape) tensor.Shape {
		return packedShape(s[2].TotalSize(), s[2].TotalSize(), s[3].TotalSize())
	},
	call: func(c *call) func() {
		d := c.sections(c.out, c.size(2), c.size(2), c.size(3))
		gates := c.sections(c.in[1], c.size(3), c.size(2))[1]
		return func() {
			c.device.GRUCellGrad(c.rows(3), c.cols(3), d[0], d[1], d[2], c.in[0], gates, c.in[2], c.in[3])
		}
	},
}
