package nn

import G "gorgonia.org/gorgonia"

// Add is a + b, of equal shapes.
func Add(a, b *G.Node) (*G.Node, error) { return G.Add(a, b) }

// sum is a + b, of equal shapes.
var sum = &op{
	name: "sum", in: []int{2, 2}, sizes: []string{"nk", "nk"}, out: 2, rows: 0, apart: []bool{true, true},
	call: func(c *call) func() {
		width := 1
		for _, d := range c.shapes[0][min(1, c.shapes[0].Dims()):] {
			width *= d
		}
		return func() {
			rows := 1
			if c.shapes[0].Dims() > 0 {
				rows = c.rows(0)
			}
			c.device.Add(rows*width, c.out, c.in[0], c.in[1])
		}
	},
}
