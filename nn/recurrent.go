package nn

import (
	"fmt"
	"slices"

	"dgsbench/kernels"

	G "gorgonia.org/gorgonia"
)

// GRU is PyTorch's GRU cell: the state that follows q (rows x M) on input a
// (rows x A). The weights are in x out as those of Dense, A x 3M and M x 3M, that is
// PyTorch's weight_ih and weight_hh transposed; columns and biases (3M) hold
// the gates r, z, n:
//
//	r = sigmoid(a wi_r + bi_r + q wh_r + bh_r)
//	z = sigmoid(a wi_z + bi_z + q wh_z + bh_z)
//	n = tanh(a wi_n + bi_n + r (q wh_n + bh_n))
//	state = (1 - z) n + z q
//
// a may have fewer active rows than q: the other rows of q get zeros.
func GRU(a, q, wi, wh, bi, bh *G.Node) *G.Node {
	if state, gates := q.Shape()[q.Dims()-1], bi.Shape()[0]; gates != 3*state {
		panic(fmt.Sprintf("nn: gru: %d gate units for a state of %d, expected three times as many", gates, state))
	}
	gi, gh := denseOfFirst(a, wi, bi, q), Dense(q, wh, bh, false)
	return op{
		name: "gru", shapes: "ng ng nm -> nm|ng", smooth: []bool{true, true, true}, apart: true, // state | gates
		run: func(c *call) {
			c.device.GRUCell(c.rows(2), c.cols(2), c.results[0], c.results[1], c.in[0], c.in[1], c.in[2])
		},
		grad: func(in G.Nodes, _, g *G.Node) G.Nodes {
			return op{
				name: "gru.grad", shapes: "nm nm|ng ng nm -> ng|ng|nm",
				call: func(c *call) func() {
					d, gates := c.results, c.packed(1)[1]
					return func() {
						c.device.GRUCellGrad(c.rows(3), c.cols(3), d[0], d[1], d[2], c.in[0], gates, c.in[2], c.in[3])
					}
				},
			}.results(3, g, in[3], in[1], in[2])
		},
	}.apply(gi, gh, q)
}

// RNN is PyTorch's RNNCell with tanh: the state that follows q (rows x M) on
// input a (rows x A),
//
//	tanh(a wi + bi + q wh + bh)
//
// with the weights in x out as those of Dense, A x M and M x M. a may have
// fewer active rows than q. The input of the other rows of q is then zero.
func RNN(a, q, wi, wh, bi, bh *G.Node) *G.Node {
	if state, units := q.Shape()[q.Dims()-1], bi.Shape()[0]; units != state {
		panic(fmt.Sprintf("nn: rnn: %d units for a state of %d, expected as many", units, state))
	}
	return tanhSum(denseOfFirst(a, wi, bi, q), Dense(q, wh, bh, false))
}

// Mix is the state of a node after an event (equation 2 of the
// Deep-Graph-Sprints paper):
//
//	beta self + (1 - beta) ((1 - alpha) e + alpha other)
//
// self, other and e are rows x K; alpha and beta both are vectors of K, for
// all rows, or both rows x K.
func Mix(self, other, e, alpha, beta *G.Node) *G.Node {
	name, factors, perRow := "mix", "k", alpha.Dims() == 2
	if perRow {
		name, factors = "mix with factors per row", "nk"
	}
	return op{
		name: name, shapes: fmt.Sprintf("nk nk nk %s %[1]s -> nk", factors), smooth: slices.Repeat([]bool{true}, 5), apart: true,
		call: func(c *call) func() {
			m := c.mixture(c.in, perRow)
			return func() {
				m.Rows = c.rows(0)
				c.device.Mix(m, c.out)
			}
		},
		grad: func(in G.Nodes, _, g *G.Node) G.Nodes {
			d := op{
				name: name + " gradient", shapes: fmt.Sprintf("nk nk nk nk %s %[1]s -> nk|nk|nk|nk|nk", factors),
				call: func(c *call) func() {
					d, m := c.results, c.mixture(c.in[1:], perRow)
					grad := &kernels.MixtureGrad{Self: d[0], Other: d[1], E: d[2], Alpha: d[3], Beta: d[4]}
					return func() {
						m.Rows = c.rows(0)
						c.device.MixGrad(m, c.in[0], grad)
					}
				},
			}.results(5, append(G.Nodes{g}, in...)...)
			if !perRow {
				d[3], d[4] = columnSums(d[3]), columnSums(d[4])
			}
			return d
		},
	}.apply(self, other, e, alpha, beta)
}

// mixture is that of self, other, e, alpha and beta.
func (c *call) mixture(in []kernels.Buffer, perRow bool) *kernels.Mixture {
	return &kernels.Mixture{Cols: c.cols(0), Self: in[0], Other: in[1], E: in[2], Alpha: in[3], Beta: in[4], PerRow: perRow}
}

// TimeEncode is cos(w dt + b), rows x D: dt is rows x 1, raw seconds if need
// be; w and b have D numbers. It has gradients for w and b.
func TimeEncode(dt, w, b *G.Node) *G.Node {
	return op{
		name: "time.encode", shapes: "n1 k k -> nk", smooth: []bool{false, true, true}, apart: true,
		run: func(c *call) { c.device.TimeEncode(c.rows(0), c.size(1), c.out, c.in[0], c.in[1], c.in[2]) },
		grad: func(in G.Nodes, _, g *G.Node) G.Nodes {
			return append(G.Nodes{nil}, op{
				name: "time.encode.grad", shapes: "nk n1 k k -> k|k",
				run: func(c *call) {
					c.device.TimeEncodeGrad(c.rows(0), c.size(2), c.results[0], c.results[1], c.in[0], c.in[1], c.in[2], c.in[3])
				},
			}.results(2, g, in[0], in[1], in[2])...)
		},
	}.apply(dt, w, b)
}

// TimeProject is m (1 + w dt + b), Jodie's projection of a memory m (rows x
// D) by a time dt (rows x 1); w and b have D numbers. It has gradients for
// m, w and b.
func TimeProject(m, dt, w, b *G.Node) *G.Node {
	return op{
		name: "time.project", shapes: "nk n1 k k -> nk", smooth: []bool{true, false, true, true}, apart: true,
		run: func(c *call) {
			c.device.TimeProject(c.rows(0), c.cols(0), c.out, c.in[0], c.in[1], c.in[2], c.in[3])
		},
		grad: func(in G.Nodes, _, g *G.Node) G.Nodes {
			d := op{
				name: "time.project.grad", shapes: "nk nk n1 k k -> nk|k|k",
				run: func(c *call) {
					d := c.results
					c.device.TimeProjectGrad(c.rows(0), c.cols(0), d[0], d[1], d[2], c.in[0], c.in[1], c.in[2], c.in[3], c.in[4])
				},
			}.results(3, append(G.Nodes{g}, in...)...)
			return G.Nodes{d[0], nil, d[1], d[2]}
		},
	}.apply(m, dt, w, b)
}
