package nn

import (
	"fmt"

	"dgsbench/kernels"

	G "gorgonia.org/gorgonia"
)

// LayerNorm is PyTorch's: each row of x less its mean, divided by
// sqrt(variance + eps), times scale, plus shift. scale and shift have a
// number per column.
//
// It is packed as out | hat | inverse, hat being the rows before scale and
// shift, and inverse 1/sqrt(variance + eps).
func LayerNorm(x, scale, shift *G.Node, eps float64) *G.Node {
	return op{
		name: fmt.Sprintf("layer norm eps %g", eps), shapes: "nk k k -> nk|nk|n", smooth: []bool{true, true, true}, apart: true,
		run: func(c *call) {
			c.device.LayerNorm(c.rows(0), c.cols(0), eps, c.results[0], c.results[1], c.results[2], c.in[0], c.in[1], c.in[2])
		},
		grad: func(in G.Nodes, _, g *G.Node) G.Nodes {
			return op{
				name: "layer norm gradient", shapes: "nk k nk|nk|n -> nk|k|k",
				call: func(c *call) func() {
					p, d := c.packed(2), c.results
					return func() {
						c.device.LayerNormGrad(c.rows(0), c.cols(0), d[0], d[1], d[2], c.in[0], p[1], p[2], c.in[1])
					}
				},
			}.results(3, g, in[1], in[3])
		},
	}.apply(x, scale, shift)
}

// UnitRows is x (rows x K) with each row divided by its length, or by 1e-12
// where that is larger: PyTorch's normalize. It is packed with 1/length.
func UnitRows(x *G.Node) *G.Node {
	const eps = 1e-12
	return op{
		name: "unit rows", shapes: "nk -> nk|n", smooth: []bool{true}, apart: true,
		run: func(c *call) { c.device.UnitRows(c.rows(0), c.cols(0), eps, c.results[0], c.results[1], c.in[0]) },
		grad: func(in G.Nodes, _, g *G.Node) G.Nodes {
			return G.Nodes{op{
				name: "unit rows gradient", shapes: "nk nk|n -> nk",
				call: func(c *call) func() {
					p := c.packed(1)
					return func() { c.device.UnitRowsGrad(c.rows(0), c.cols(0), c.out, c.in[0], p[0], p[1]) }
				},
			}.apply(g, in[1])}
		},
	}.apply(x)
}

// Softmax is the softmax of x/temperature over each block of h columns, as in
// the embedding of Deep-Graph-Sprints. h divides the columns.
func Softmax(x *G.Node, h int, temperature float64) *G.Node {
	return toSimplex("softmax", kernels.Device.SoftmaxBlocks, kernels.Device.SoftmaxBlocksGrad, x, h, temperature)
}

// Sparsemax is, in each block of h columns, the point of the simplex nearest
// to x/temperature (Martins and Astudillo, 2016). h divides the columns.
func Sparsemax(x *G.Node, h int, temperature float64) *G.Node {
	return toSimplex("sparsemax", kernels.Device.SparsemaxBlocks, kernels.Device.SparsemaxBlocksGrad, x, h, temperature)
}

// Entmax is 1.5-entmax of x/temperature over each block of h columns (Peters,
// Niculae and Martins, 2019): between the softmax and the sparsemax. h
// divides the columns.
func Entmax(x *G.Node, h int, temperature float64) *G.Node {
	return toSimplex("entmax", kernels.Device.EntmaxBlocks, kernels.Device.EntmaxBlocksGrad, x, h, temperature)
}

func checkBlocks(x *G.Node, h int) {
	if cols := x.Shape()[1]; h < 1 || cols%h != 0 {
		panic(fmt.Sprintf("nn: blocks of %d columns do not divide the %d columns of %s", h, cols, x.Name()))
	}
}

// toSimplex makes each block a probability distribution by one kernel; the
// other is its gradient, of the given one and of the result.
func toSimplex(
	name string,
	forward func(d kernels.Device, n, h int, scale float64, dst, x kernels.Buffer),
	backward func(d kernels.Device, n, h int, scale float64, dx, g, y kernels.Buffer),
	x *G.Node, h int, temperature float64,
) *G.Node {
	checkBlocks(x, h)
	name = fmt.Sprintf("%s %d at %g", name, h, temperature)
	return op{
		name: name, shapes: "nk -> nk", smooth: []bool{true}, apart: true,
		run: func(c *call) { forward(c.device, c.numbers(0), h, 1/temperature, c.out, c.in[0]) },
		grad: func(_ G.Nodes, y, g *G.Node) G.Nodes {
			return G.Nodes{op{
				name: name + " gradient", shapes: "nk nk -> nk",
				run: func(c *call) { backward(c.device, c.numbers(0), h, 1/temperature, c.out, c.in[0], c.in[1]) },
			}.apply(g, y)}
		},
	}.apply(x)
}

// DivideSum divides each block of h columns of z by its sum + eps, whatever
// the sum's sign (DGS-sum). A sum below floor in size is replaced by floor
// with its sign, and counts as constant then; 0 is no floor.
func DivideSum(z *G.Node, h int, eps, floor float64) *G.Node {
	checkBlocks(z, h)
	name := fmt.Sprintf("divide by sum %d eps %g floor %g", h, eps, floor)
	return op{
		name: name, shapes: "nk -> nk", smooth: []bool{true}, apart: true,
		run: func(c *call) { c.device.DivideSumBlocks(c.numbers(0), h, eps, floor, c.out, c.in[0]) },
		grad: func(in G.Nodes, y, g *G.Node) G.Nodes {
			return G.Nodes{op{
				name: name + " gradient", shapes: "nk nk nk -> nk",
				run: func(c *call) {
					c.device.DivideSumBlocksGrad(c.numbers(0), h, eps, floor, c.out, c.in[0], c.in[1], c.in[2])
				},
			}.apply(g, y, in[0])}
		},
	}.apply(z)
}
