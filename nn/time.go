package nn

import (
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TimeEncode is cos(w dt + b), rows x D: dt is rows x 1, raw seconds if need
// be; w and b have D numbers. It has gradients for w and b.
func TimeEncode(dt, w, b *G.Node) (*G.Node, error) { return timeEncode.apply(dt, w, b) }

var timeEncode = &op{
	name: "time.encode", in: []int{2, 1, 1}, sizes: []string{"n1", "k", "k"}, out: 2, rows: 0, smooth: []bool{false, true, true},
	apart: []bool{true, false, false},
	shape: func(s []tensor.Shape) tensor.Shape { return tensor.Shape{s[0][0], s[1][0]} },
	grad: func(in G.Nodes, _, g *G.Node) (G.Nodes, error) {
		packed, err := timeEncodeGrad.apply(g, in[0], in[1], in[2])
		if err != nil {
			return nil, err
		}
		d, err := parts(packed, in[1], in[2])
		return append(G.Nodes{nil}, d...), err
	},
	call: func(c *call) func() {
		return func() { c.device.TimeEncode(c.rows(0), c.size(1), c.out, c.in[0], c.in[1], c.in[2]) }
	},
}

// timeEncodeGrad is the gradients of w | b.
var timeEncodeGrad = &op{
	name: "time.encode.grad", in: []int{2, 2, 1, 1}, out: 1, rows: fixed,
	shape: func(s []tensor.Shape) tensor.Shape { return packedShape(s[2].TotalSize(), s[3].TotalSize()) },
	call: func(c *call) func() {
		d := c.sections(c.out, c.size(2), c.size(3))
		return func() {
			c.device.TimeEncodeGrad(c.rows(0), c.size(2), d[0], d[1], c.in[0], c.in[1], c.in[2], c.in[3])
		}
	},
}

// TimeProject is m (1 + w dt + b), Jodie's projection of a memory m (rows x
// D) by a time dt (rows x 1); w and b have D numbers. It has gradients for
// m, w and b.
func TimeProject(m, dt, w, b *G.Node) (*G.Node, error) { return timeProject.apply(m, dt, w, b) }

var timeProject = &op{
	name: "time.project", in: []int{2, 2, 1, 1}, sizes: []string{"nk", "n1", "k", "k"}, out: 2, rows: 0, smooth: []bool{true, false, true, true},
	apart: []bool{true, true, false, false},
	shape: sameShape,
	grad: func(in G.Nodes, _, g *G.Node) (G.Nodes, error) {
		packed, err := timeProjectGrad.apply(g, in[0], in[1], in[2], in[3])
		if err != nil {
			return nil, err
		}
		d, err := parts(packed, in[0], in[2], in[3])
		if err != nil {
			return nil, err
		}
		return G.Nodes{d[0], nil, d[1], d[2]}, nil
	},
	call: func(c *call) func() {
		return func() { c.device.TimeProject(c.rows(0), c.cols(0), c.out, c.in[0], c.in[1], c.in[2], c.in[3]) }
	},
}

// timeProjectGrad is the gradients of m | w | b.
var timeProjectGrad = &op{
	name: "time.project.grad", in: []int{2, 2, 2, 1, 1}, out: 1, rows: fixed,
	shape: func(s []tensor.Shape) tensor.Shape {
		return packedShape(s[1].TotalSize(), s[3].TotalSize(), s[4].TotalSize())
	},
	call: func(c *call) func() {
		d := c.sections(c.out, c.size(1), c.size(3), c.size(4))
		return func() {
			c.device.TimeProjectGrad(c.rows(0), c.cols(0), d[0], d[1], d[2], c.in[0], c.in[1], c.in[2], c.in[3], c.in[4])
		}
	},
}
