package nn

import (
	"fmt"
	"slices"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Concat puts the columns of matrices of equally many rows side by side.
func Concat(x ...*G.Node) (*G.Node, error) { return concat(len(x)).apply(x...) }

func concat(n int) *op {
	return &op{
		name: fmt.Sprintf("concat %d", n), in: slices.Repeat([]int{2}, n), out: 2, rows: 0, sizes: concatSizes(n),
		smooth: slices.Repeat([]bool{true}, n), apart: slices.Repeat([]bool{true}, n),
		shape: func(s []tensor.Shape) tensor.Shape { return tensor.Shape{s[0][0], totalColumns(s)} },
		grad:  concatGrad,
		call: func(c *call) func() {
			width, parts := totalColumns(c.shapes), make([]func(), n)
			offset := 0
			for i := range n {
				to := c.device.View(c.out, offset, c.shapes[i][0]*width-offset)
				offset += c.cols(i)
				parts[i] = func() { c.device.CopyRows(c.rows(0), c.cols(i), to, width, c.in[i], c.cols(i)) }
			}
			return func() {
				for _, part := range parts {
					part()
				}
			}
		},
	}
}

func totalColumns(s []tensor.Shape) int {
	n := 0
	for _, shape := range s {
		n += shape[1]
	}
	return n
}

func concatGrad(in G.Nodes, _, g *G.Node) (G.Nodes, error) {
	out, offset := make(G.Nodes, len(in)), 0
	for i, x := range in {
		var err error
		if out[i], err = columns(offset).apply(g, x); err != nil {
			return nil, err
		}
		offset += x.Shape()[1]
	}
	return out, nil
}

// columns are those of the first input from offset on, as many as the second
// input has.
func columns(offset int) *op {
	return &op{
		name: fmt.Sprintf("columns from %d", offset), in: []int{2, 2}, out: 2, rows: 0,
		shape: func(s []tensor.Shape) tensor.Shape { return s[1] },
		call: func(c *call) func() {
			from := c.device.View(c.in[0], offset, c.size(0)-offset)
			return func() { c.device.CopyRows(c.rows(0), c.cols(1), c.out, c.cols(1), from, c.cols(0)) }
		},
	}
}

// concatSizes are the same rows n, and columns of each input's own.
func concatSizes(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = "n" + string(rune('A'+i))
	}
	return out
}
