package nn

import (
	"fmt"

	"dgsbench/kernels"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A kernel with several results writes them one after another into a packed
// vector. Views hand them out: they cost no kernel call.

// parts are the first results of a packed vector, with the shapes and the
// rows of the given nodes.
func parts(packed *G.Node, like ...*G.Node) (G.Nodes, error) {
	out, offset := make(G.Nodes, len(like)), 0
	for i, l := range like {
		part := &op{
			name: fmt.Sprintf("part from %d", offset), in: []int{1, l.Dims()}, out: l.Dims(), rows: 1,
			shape: func(s []tensor.Shape) tensor.Shape { return s[1] },
			view:  &window{0, offset},
		}
		var err error
		if out[i], err = part.apply(packed, l); err != nil {
			return nil, err
		}
		offset += l.Shape().TotalSize()
	}
	return out, nil
}

// packedShape is that of a vector of so many numbers.
func packedShape(sizes ...int) tensor.Shape {
	n := 0
	for _, s := range sizes {
		n += s
	}
	return tensor.Shape{n}
}

// sections are windows of b, one after another.
func (c *call) sections(b kernels.Buffer, sizes ...int) []kernels.Buffer {
	out, offset := make([]kernels.Buffer, len(sizes)), 0
	for i, n := range sizes {
		out[i] = c.device.View(b, offset, n)
		offset += n
	}
	return out
}
