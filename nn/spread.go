package nn

import (
	"fmt"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Spread is a vector of n times the one number of x, a vector, too.
func Spread(x *G.Node, n int) (*G.Node, error) {
	o := &op{
		name: fmt.Sprintf("spread over %d", n), in: []int{1}, sizes: []string{"1"}, out: 1, rows: fixed, smooth: []bool{true},
		shape: func([]tensor.Shape) tensor.Shape { return tensor.Shape{n} },
		grad:  func(_ G.Nodes, _, g *G.Node) (G.Nodes, error) { return applyAll(node{spreadGrad, G.Nodes{g}}) },
		call: func(c *call) func() {
			zeros := c.device.NewInts(n)
			return func() { c.device.GatherRows(n, 1, 1, c.out, c.in[0], zeros) }
		},
	}
	return o.apply(x)
}

// spreadGrad is the sum of a vector, in order.
var spreadGrad = &op{
	name: "spread gradient", in: []int{1}, out: 1, rows: fixed,
	shape: func([]tensor.Shape) tensor.Shape { return tensor.Shape{1} },
	call: func(c *call) func() {
		return func() { c.device.ColumnSums(c.size(0), 1, c.out, c.in[0]) }
	},
}
