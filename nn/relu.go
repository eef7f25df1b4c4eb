package nn

import G "gorgonia.org/gorgonia"

// ReLU is max(x, 0), elementwise. After a product alone Dense does it in one
// pass.
func ReLU(x *G.Node) (*G.Node, error) { return relu.apply(x) }

var relu = &op{
	name: "relu", in: []int{2}, out: 2, rows: 0, smooth: []bool{true},
	apart: []bool{true},
	shape: sameShape,
	grad: func(_ G.Nodes, out, g *G.Node) (G.Nodes, error) {
		return applyAll(node{reluGrad, G.Nodes{out, g}})
	},
	call: func(c *call) func() {
		zero := c.device.NewBuffer(c.size(0))
		return func() { c.device.AddReLU(c.rows(0)*c.cols(0), c.out, c.in[0], zero) }
	},
}
