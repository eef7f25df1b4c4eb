package nn

import (
	"dgsbench/kernels"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Mix is the state of a node after an event (equation 2 of the
// Deep-Graph-Sprints paper):
//
//	beta self + (1 - beta) ((1 - alpha) e + alpha other)
//
// self, other and e are rows x K; alpha and beta both are vectors of K, for
// all rows, or both rows x K.
func Mix(self, other, e, alpha, beta *G.Node) (*G.Node, error) {
	if alpha.Dims() == 1 {
		return mix.apply(self, other, e, alpha, beta)
	}
	return mixPerRow.apply(self, other, e, alpha, beta)
}

// mix has one alpha and one beta for a column.
var mix = &op{
	name: "mix", in: []int{2, 2, 2, 1, 1}, sizes: []string{"nk", "nk", "nk", "k", "k"}, out: 2, rows: 0,
	apart:  []bool{true, true, true, false, false},
	smooth: []bool{true, true, true, true, true}, shape: sameShape,
	call: func(c *call) func() { return mixCall(c, false) },
	grad: func(in G.Nodes, _, g *G.Node) (G.Nodes, error) {
		d, err := mixParts(mixGrad, in, g)
		if err != nil {
			return nil, err
		}
		sums, err := applyAll(node{columnSums, G.Nodes{d[3]}}, node{columnSums, G.Nodes{d[4]}})
		return append(d[:3], sums...), err
	},
}

// mixPerRow has an alpha and a beta for each element.
var mixPerRow = &op{
	name: "mix with factors per row", in: []int{2, 2, 2, 2, 2}, sizes: []string{"nk", "nk", "nk", "nk", "nk"}, out: 2, rows: 0,
	apart:  []bool{true, true, true, true, true},
	smooth: []bool{true, true, true, true, true}, shape: sameShape,
	call: func(c *call) func() { return mixCall(c, true) },
	grad: func(in G.Nodes, _, g *G.Node) (G.Nodes, error) { return mixParts(mixPerRowGrad, in, g) },
}

func mixCall(c *call, perRow bool) func() {
	m := c.mixture(c.in, perRow)
	return func() {
		m.Rows = c.rows(0)
		c.device.Mix(m, c.out)
	}
}

// mixture is that of self, other, e, alpha and beta.
func (c *call) mixture(in []kernels.Buffer, perRow bool) *kernels.Mixture {
	return &kernels.Mixture{Cols: c.cols(0), Self: in[0], Other: in[1], E: in[2], Alpha: in[3], Beta: in[4], PerRow: perRow}
}

var mixGrad, mixPerRowGrad = mixGradient("mix gradient", 1), mixGradient("mix gradient with factors per row", 2)

// mixGradient makes, from the gradient of the result and the five inputs, the
// packed gradients of these, rows x K each. factors is how many dimensions
// alpha and beta have.
func mixGradient(name string, factors int) *op {
	return &op{
		name: name, in: []int{2, 2, 2, 2, factors, factors}, out: 1, rows: fixed,
		shape: func(s []tensor.Shape) tensor.Shape { return tensor.Shape{5 * s[0].TotalSize()} },
		call: func(c *call) func() {
			n := c.size(0)
			d := c.sections(c.out, n, n, n, n, n)
			grad := &kernels.MixtureGrad{Self: d[0], Other: d[1], E: d[2], Alpha: d[3], Beta: d[4]}
			m := c.mixture(c.in[1:], factors == 2)
			return func() {
				m.Rows = c.rows(0)
				c.device.MixGrad(m, c.in[0], grad)
			}
		},
	}
}

// mixParts are the gradients of the five inputs, rows x K each.
func mixParts(o *op, in G.Nodes, g *G.Node) (G.Nodes, error) {
	packed, err := o.apply(append(G.Nodes{g}, in...)...)
	if err != nil {
		return nil, err
	}
	self := in[0]
	return parts(packed, self, self, self, self, self)
}
