package nn

import G "gorgonia.org/gorgonia"

// Sigmoid is 1/(1 + e^-x), elementwise; x is a vector or a matrix.
func Sigmoid(x *G.Node) (*G.Node, error) {
	if x.Dims() == 1 {
		return sigmoidVector.apply(x)
	}
	return sigmoidMatrix.apply(x)
}

var sigmoidVector, sigmoidMatrix = sigmoid("sigmoid of a vector", 1), sigmoid("sigmoid", 2)

func sigmoid(name string, dims int) *op {
	grad := &op{
		name: name + " gradient", in: []int{dims, dims}, out: dims, rows: 0,
		shape: sameShape,
		call: func(c *call) func() {
			return func() { c.device.SigmoidGrad(c.rows(0)*c.width(0), c.out, c.in[0], c.in[1]) }
		},
	}
	return &op{
		name: name, in: []int{dims}, out: dims, rows: 0, smooth: []bool{true}, apart: []bool{true},
		shape: sameShape,
		grad:  func(_ G.Nodes, y, g *G.Node) (G.Nodes, error) { return applyAll(node{grad, G.Nodes{g, y}}) },
		call: func(c *call) func() {
			return func() { c.device.Sigmoid(c.rows(0)*c.width(0), c.out, c.in[0]) }
		},
	}
}
