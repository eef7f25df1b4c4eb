package nn

import (
	"fmt"
	"slices"

	"dgsbench/kernels"

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
// a may have fewer active rows than q: the other rows of q get zeros.
func GRU(a, q, wi, wh, bi, bh *G.Node) *G.Node {
	if state, gates := q.Shape()[q.Dims()-1], bi.Shape()[0]; gates != 3*state {
		panic(fmt.Sprintf("nn: gru: %d gate units for a state of %d, expected three times as many", gates, state))
	}
	gi, gh := denseOfFirst.apply(a, wi, bi, q), dense.apply(q, wh, bh)
	return gru.apply(gi, gh, q, gruPacked.apply(gi, gh, q))
}

// gruPacked is state | gates.
var gruPacked = &op{
	name: "gru.packed", in: []int{2, 2, 2}, sizes: []string{"ng", "ng", "nm"}, out: 1, rows: fixed,
	apart:  []bool{true, true, true},
	packed: func(s []tensor.Shape) []int { return []int{s[2].TotalSize(), s[0].TotalSize()} },
	run: func(c *call) {
		c.device.GRUCell(c.rows(2), c.cols(2), c.results[0], c.results[1], c.in[0], c.in[1], c.in[2])
	},
}

// gru is the state.
var gru = &op{
	name: "gru", in: []int{2, 2, 2, 1}, out: 2, rows: 2, smooth: []bool{true, true, true, false},
	apart: []bool{true, true, true, true},
	shape: func(s []tensor.Shape) tensor.Shape { return s[2] },
	view:  &window{3, 0},
	grad: func(in G.Nodes, _, g *G.Node) G.Nodes {
		return append(parts(gruGrad.apply(g, in[3], in[1], in[2]), in[0], in[1], in[2]), nil)
	},
}

// gruGrad is the gradients of gi | gh | q, from that of the state, the packed
// result, gh and q.
var gruGrad = &op{
	name: "gru.grad", in: []int{2, 1, 2, 2}, out: 1, rows: fixed,
	packed: func(s []tensor.Shape) []int { return []int{s[2].TotalSize(), s[2].TotalSize(), s[3].TotalSize()} },
	call: func(c *call) func() {
		d, gates := c.results, c.sections(c.in[1], c.size(3), c.size(2))[1]
		return func() {
			c.device.GRUCellGrad(c.rows(3), c.cols(3), d[0], d[1], d[2], c.in[0], gates, c.in[2], c.in[3])
		}
	},
}

// RNN is PyTorch's RNNCell with tanh: the state after q (rows x M) has seen
// a (rows x A),
//
//	tanh(a wi + bi + q wh + bh)
//
// with the weights in x out as those of Dense, A x M and M x M. a may have
// fewer active rows than q. The rest of q then sees zeros.
func RNN(a, q, wi, wh, bi, bh *G.Node) *G.Node {
	if state, units := q.Shape()[q.Dims()-1], bi.Shape()[0]; units != state {
		panic(fmt.Sprintf("nn: rnn: %d units for a state of %d, expected as many", units, state))
	}
	return tanhSum.apply(denseOfFirst.apply(a, wi, bi, q), dense.apply(q, wh, bh))
}

// Mix is the state of a node after an event (equation 2 of the
// Deep-Graph-Sprints paper):
//
//	beta self + (1 - beta) ((1 - alpha) e + alpha other)
//
// self, other and e are rows x K; alpha and beta both are vectors of K, for
// all rows, or both rows x K.
func Mix(self, other, e, alpha, beta *G.Node) *G.Node {
	if alpha.Dims() == 1 {
		return mix.apply(self, other, e, alpha, beta)
	}
	return mixPerRow.apply(self, other, e, alpha, beta)
}

// mix has one alpha and one beta for a column, mixPerRow for each element.
var (
	mix       = mixOp("mix", 1)
	mixPerRow = mixOp("mix with factors per row", 2)
)

// mixOp is Mix with factors of one or two dimensions.
func mixOp(name string, factors int) *op {
	perRow, letters := factors == 2, [...]string{1: "k", 2: "nk"}[factors]
	grad := mixGradient(name+" gradient", perRow)
	return &op{
		name: name, in: []int{2, 2, 2, factors, factors}, sizes: []string{"nk", "nk", "nk", letters, letters}, out: 2,
		apart: []bool{true, true, true, perRow, perRow}, smooth: []bool{true, true, true, true, true},
		call: func(c *call) func() {
			m := c.mixture(c.in, perRow)
			return func() {
				m.Rows = c.rows(0)
				c.device.Mix(m, c.out)
			}
		},
		grad: func(in G.Nodes, _, g *G.Node) G.Nodes {
			d := parts(grad.apply(append(G.Nodes{g}, in...)...), in[0], in[0], in[0], in[0], in[0])
			if !perRow {
				d[3], d[4] = columnSums.apply(d[3]), columnSums.apply(d[4])
			}
			return d
		},
	}
}

// mixGradient makes, from the gradient of the result and the five inputs, the
// packed gradients of these, rows x K each.
func mixGradient(name string, perRow bool) *op {
	factors := 1
	if perRow {
		factors = 2
	}
	return &op{
		name: name, in: []int{2, 2, 2, 2, factors, factors}, out: 1, rows: fixed,
		packed: func(s []tensor.Shape) []int { return slices.Repeat([]int{s[0].TotalSize()}, 5) },
		call: func(c *call) func() {
			d, m := c.results, c.mixture(c.in[1:], perRow)
			grad := &kernels.MixtureGrad{Self: d[0], Other: d[1], E: d[2], Alpha: d[3], Beta: d[4]}
			return func() {
				m.Rows = c.rows(0)
				c.device.MixGrad(m, c.in[0], grad)
			}
		},
	}
}

// mixture is that of self, other, e, alpha and beta.
func (c *call) mixture(in []kernels.Buffer, perRow bool) *kernels.Mixture {
	return &kernels.Mixture{Cols: c.cols(0), Self: in[0], Other: in[1], E: in[2], Alpha: in[3], Beta: in[4], PerRow: perRow}
}

// TimeEncode is cos(w dt + b), rows x D: dt is rows x 1, raw seconds if need
// be; w and b have D numbers. It has gradients for w and b.
func TimeEncode(dt, w, b *G.Node) *G.Node { return timeEncode.apply(dt, w, b) }

var timeEncode = &op{
	name: "time.encode", in: []int{2, 1, 1}, sizes: []string{"n1", "k", "k"}, out: 2, smooth: []bool{false, true, true},
	apart: []bool{true, false, false},
	shape: func(s []tensor.Shape) tensor.Shape { return tensor.Shape{s[0][0], s[1][0]} },
	grad: func(in G.Nodes, _, g *G.Node) G.Nodes {
		return append(G.Nodes{nil}, parts(timeEncodeGrad.apply(g, in[0], in[1], in[2]), in[1], in[2])...)
	},
	run: func(c *call) { c.device.TimeEncode(c.rows(0), c.size(1), c.out, c.in[0], c.in[1], c.in[2]) },
}

// timeEncodeGrad is the gradients of w | b.
var timeEncodeGrad = &op{
	name: "time.encode.grad", in: []int{2, 2, 1, 1}, out: 1, rows: fixed,
	packed: func(s []tensor.Shape) []int { return []int{s[2].TotalSize(), s[3].TotalSize()} },
	run: func(c *call) {
		c.device.TimeEncodeGrad(c.rows(0), c.size(2), c.results[0], c.results[1], c.in[0], c.in[1], c.in[2], c.in[3])
	},
}

// TimeProject is m (1 + w dt + b), Jodie's projection of a memory m (rows x
// D) by a time dt (rows x 1); w and b have D numbers. It has gradients for
// m, w and b.
func TimeProject(m, dt, w, b *G.Node) *G.Node { return timeProject.apply(m, dt, w, b) }

var timeProject = &op{
	name: "time.project", in: []int{2, 2, 1, 1}, sizes: []string{"nk", "n1", "k", "k"}, out: 2, smooth: []bool{true, false, true, true},
	apart: []bool{true, true, false, false},
	grad: func(in G.Nodes, _, g *G.Node) G.Nodes {
		d := parts(timeProjectGrad.apply(g, in[0], in[1], in[2], in[3]), in[0], in[2], in[3])
		return G.Nodes{d[0], nil, d[1], d[2]}
	},
	run: func(c *call) {
		c.device.TimeProject(c.rows(0), c.cols(0), c.out, c.in[0], c.in[1], c.in[2], c.in[3])
	},
}

// timeProjectGrad is the gradients of m | w | b.
var timeProjectGrad = &op{
	name: "time.project.grad", in: []int{2, 2, 2, 1, 1}, out: 1, rows: fixed,
	packed: func(s []tensor.Shape) []int { return []int{s[1].TotalSize(), s[3].TotalSize(), s[4].TotalSize()} },
	run: func(c *call) {
		d := c.results
		c.device.TimeProjectGrad(c.rows(0), c.cols(0), d[0], d[1], d[2], c.in[0], c.in[1], c.in[2], c.in[3], c.in[4])
	},
}
