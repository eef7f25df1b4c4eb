package nn

import (
	"fmt"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// LayerNorm is PyTorch's: each row of x less its mean, divided by
// sqrt(variance + eps), times scale, plus shift. scale and shift have a
// number per column.
func LayerNorm(x, scale, shift *G.Node, eps float64) (*G.Node, error) {
	packed, err := layerNormPacked(eps).apply(x, scale, shift)
	if err != nil {
		return nil, err
	}
	return layerNorm.apply(x, scale, shift, packed)
}

// layerNormPacked is out | hat | inverse, hat being the rows before scale and
// shift, and inverse 1/sqrt(variance + eps).
func layerNormPacked(eps float64) *op {
	return &op{
		name: fmt.Sprintf("layer norm eps %g", eps), in: []int{2, 1, 1}, sizes: []string{"nk", "k", "k"}, out: 1, rows: fixed,
		apart: []bool{true, false, false},
		shape: func(s []tensor.Shape) tensor.Shape {
			return packedShape(s[0].TotalSize(), s[0].TotalSize(), s[0][0])
		},
		call: func(c *call) func() {
			p := c.sections(c.out, c.size(0), c.size(0), c.shapes[0][0])
			return func() {
				c.device.LayerNorm(c.rows(0), c.cols(0), eps, p[0], p[1], p[2], c.in[0], c.in[1], c.in[2])
			}
		},
	}
}

// layerNorm is out; its last input is the packed result.
var layerNorm = &op{
	name: "layer norm", in: []int{2, 1, 1, 1}, out: 2, rows: 0, smooth: []bool{true, true, true, false},
	apart: []bool{true, false, false, true},
	shape: sameShape,
	view:  &window{3, 0},
	grad: func(in G.Nodes, _, g *G.Node) (G.Nodes, error) {
		packed, err := layerNormGrad.apply(g, in[0], in[1], in[3])
		if err != nil {
			return nil, err
		}
		d, err := parts(packed, in[0], in[1], in[2])
		return append(d, nil), err
	},
}

// layerNormGrad is the gradients of x | scale | shift.
var layerNormGrad = &op{
	name: "layer norm gradient", in: []int{2, 2, 1, 1}, out: 1, rows: fixed,
	shape: func(s []tensor.Shape) tensor.Shape {
		return packedShape(s[1].TotalSize(), s[2].TotalSize(), s[2].TotalSize())
	},
	call: func(c *call) func() {
		p := c.sections(c.in[3], c.size(1), c.size(1), c.shapes[1][0])
		d := c.sections(c.out, c.size(1), c.size(2), c.size(2))
		return func() {
			c.device.LayerNormGrad(c.rows(0), c.cols(0), d[0], d[1], d[2], c.in[0], p[1], p[2], c.in[2])
		}
	},
}
