package nn

import (
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// ScaleRows is x (rows x K) with each row times its number in by (rows x 1).
// It has a gradient for x.
func ScaleRows(x, by *G.Node) (*G.Node, error) { return scaleRows.apply(x, by) }

var scaleRows = &op{
	name: "scale rows", in: []int{2, 2}, sizes: []string{"nk", "n1"}, out: 2, rows: 0, smooth: []bool{true, false},
	apart: []bool{true, true},
	shape: sameShape,
	call: func(c *call) func() {
		return func() { c.device.ScaleRows(c.rows(0), c.cols(0), c.out, c.in[0], c.in[1]) }
	},
}

// The gradient is the same operation, which a variable's own initialiser
// cannot name.
func init() {
	scaleRows.grad = func(in G.Nodes, _, g *G.Node) (G.Nodes, error) {
		dx, err := scaleRows.apply(g, in[1])
		return G.Nodes{dx, nil}, err
	}
}

// UnitRows is x (rows x K) with each row divided by its length, or by 1e-12
// where that is larger: PyTorch's normalize.
func UnitRows(x *G.Node) (*G.Node, error) {
	packed, err := unitPacked.apply(x)
	if err != nil {
		return nil, err
	}
	return unitRows.apply(x, packed)
}

// unitEps is the least length.
const unitEps = 1e-12

// unitPacked is the result | 1/length.
var unitPacked = &op{
	name: "unit rows packed", in: []int{2}, out: 1, rows: fixed,
	apart: []bool{true},
	shape: func(s []tensor.Shape) tensor.Shape { return packedShape(s[0].TotalSize(), s[0][0]) },
	call: func(c *call) func() {
		p := c.sections(c.out, c.size(0), c.shapes[0][0])
		return func() { c.device.UnitRows(c.rows(0), c.cols(0), unitEps, p[0], p[1], c.in[0]) }
	},
}

var unitRows = &op{
	name: "unit rows", in: []int{2, 1}, out: 2, rows: 0, smooth: []bool{true, false},
	apart: []bool{true, true},
	shape: sameShape,
	view:  &window{1, 0},
	grad: func(in G.Nodes, _, g *G.Node) (G.Nodes, error) {
		dx, err := unitGrad.apply(g, in[1])
		return G.Nodes{dx, nil}, err
	},
}

var unitGrad = &op{
	name: "unit rows gradient", in: []int{2, 1}, out: 2, rows: 0,
	shape: sameShape,
	call: func(c *call) func() {
		p := c.sections(c.in[1], c.size(0), c.shapes[0][0])
		return func() { c.device.UnitRowsGrad(c.rows(0), c.cols(0), c.out, c.in[0], p[0], p[1]) }
	},
}
