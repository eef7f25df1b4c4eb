package nn

import (
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Gather is the rows of x that index lists, in its order. The gradients of
// a row that is listed several times are added in that order.
func Gather(x, index *G.Node) (*G.Node, error) { return gather.apply(x, index) }

var gather = &op{
	name: "gather", in: []int{2, ints}, out: 2, rows: 1, smooth: []bool{true, false},
	shape: func(s []tensor.Shape) tensor.Shape { return tensor.Shape{s[1][0], s[0][1]} },
	grad: func(in G.Nodes, _, g *G.Node) (G.Nodes, error) {
		dx, err := gatherGrad.apply(g, in[1], in[0])
		return G.Nodes{dx, nil}, err
	},
	call: func(c *call) func() {
		return func() { c.device.GatherRows(c.rows(1), c.cols(0), c.out, c.in[0], c.ints[1]) }
	},
}

// gatherGrad adds the rows of g where they came from. Its last input only
// says how many rows there are.
var gatherGrad = &op{
	name: "gather.grad", in: []int{2, ints, 2}, out: 2, rows: 2,
	shape: func(s []tensor.Shape) tensor.Shape { return s[2] },
	call: func(c *call) func() {
		return func() {
			c.device.Zero(c.rows(2)*c.cols(2), c.out)
			c.device.ScatterAddRows(c.rows(1), c.cols(0), c.out, c.in[0], c.ints[1])
		}
	},
}
