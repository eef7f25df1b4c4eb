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
	apart: []bool{false, true},
	shape: func(s []tensor.Shape) tensor.Shape { return tensor.Shape{s[1][0], s[0][1]} },
	call: func(c *call) func() {
		return func() { c.device.GatherRows(c.rows(1), c.rows(0), c.cols(0), c.out, c.in[0], c.ints[1]) }
	},
}

// Scatter puts row i of x at row index[i] of a matrix that has as many rows
// as like, and zeros elsewhere. Rows of x with one index are added, in order.
func Scatter(x, index, like *G.Node) (*G.Node, error) { return scatter.apply(x, index, like) }

var scatter = &op{
	name: "scatter", in: []int{2, ints, 2}, out: 2, rows: 2, smooth: []bool{true, false, false},
	shape: func(s []tensor.Shape) tensor.Shape { return tensor.Shape{s[2][0], s[0][1]} },
	call: func(c *call) func() {
		return func() {
			c.device.Zero(c.rows(2)*c.cols(0), c.out)
			c.device.ScatterAddRows(c.rows(1), c.rows(2), c.cols(0), c.out, c.in[0], c.ints[1])
		}
	},
}

// Each is the gradient of the other, which initialisers cannot say.
func init() {
	gather.grad = func(in G.Nodes, _, g *G.Node) (G.Nodes, error) {
		dx, err := scatter.apply(g, in[1], in[0])
		return G.Nodes{dx, nil}, err
	}
	scatter.grad = func(in G.Nodes, _, g *G.Node) (G.Nodes, error) {
		dx, err := gather.apply(g, in[1])
		return G.Nodes{dx, nil, nil}, err
	}
}
