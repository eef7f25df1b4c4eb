package nn

import (
	"fmt"

	"dgsbench/kernels"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// LayerNorm is PyTorch's: each row of x less its mean, divided by
// sqrt(variance + eps), times scale, plus shift. scale and shift have a
// number per column.
func LayerNorm(x, scale, shift *G.Node, eps float64) *G.Node {
	return layerNorm.apply(x, scale, shift, layerNormPacked(eps).apply(x, scale, shift))
}

// layerNormPacked is out | hat | inverse, hat being the rows before scale and
// shift, and inverse 1/sqrt(variance + eps).
func layerNormPacked(eps float64) *op {
	return &op{
		name: fmt.Sprintf("layer norm eps %g", eps), in: []int{2, 1, 1}, sizes: []string{"nk", "k", "k"}, out: 1, rows: fixed,
		apart:  []bool{true, false, false},
		packed: func(s []tensor.Shape) []int { return []int{s[0].TotalSize(), s[0].TotalSize(), s[0][0]} },
		run: func(c *call) {
			c.device.LayerNorm(c.rows(0), c.cols(0), eps, c.results[0], c.results[1], c.results[2], c.in[0], c.in[1], c.in[2])
		},
	}
}

// layerNorm is out; its last input is the packed result.
var layerNorm = &op{
	name: "layer norm", in: []int{2, 1, 1, 1}, out: 2, smooth: []bool{true, true, true, false},
	apart: []bool{true, false, false, true},
	view:  &window{3, 0},
	grad: func(in G.Nodes, _, g *G.Node) G.Nodes {
		return append(parts(layerNormGrad.apply(g, in[0], in[1], in[3]), in[0], in[1], in[2]), nil)
	},
}

// layerNormGrad is the gradients of x | scale | shift.
var layerNormGrad = &op{
	name: "layer norm gradient", in: []int{2, 2, 1, 1}, out: 1, rows: fixed,
	packed: func(s []tensor.Shape) []int { return []int{s[1].TotalSize(), s[2].TotalSize(), s[2].TotalSize()} },
	call: func(c *call) func() {
		p, d := c.sections(c.in[3], c.size(1), c.size(1), c.shapes[1][0]), c.results
		return func() {
			c.device.LayerNormGrad(c.rows(0), c.cols(0), d[0], d[1], d[2], c.in[0], p[1], p[2], c.in[2])
		}
	},
}

// UnitRows is x (rows x K) with each row divided by its length, or by 1e-12
// where that is larger: PyTorch's normalize.
func UnitRows(x *G.Node) *G.Node { return unitRows.apply(x, unitPacked.apply(x)) }

// unitEps is the least length.
const unitEps = 1e-12

// unitPacked is the result | 1/length.
var unitPacked = &op{
	name: "unit rows packed", in: []int{2}, out: 1, rows: fixed, apart: []bool{true},
	packed: func(s []tensor.Shape) []int { return []int{s[0].TotalSize(), s[0][0]} },
	run:    func(c *call) { c.device.UnitRows(c.rows(0), c.cols(0), unitEps, c.results[0], c.results[1], c.in[0]) },
}

var unitRows = &op{
	name: "unit rows", in: []int{2, 1}, out: 2, smooth: []bool{true, false}, apart: []bool{true, true},
	view: &window{1, 0},
	grad: func(in G.Nodes, _, g *G.Node) G.Nodes { return G.Nodes{unitGrad.apply(g, in[1]), nil} },
}

var unitGrad = &op{
	name: "unit rows gradient", in: []int{2, 1}, out: 2,
	call: func(c *call) func() {
		p := c.sections(c.in[1], c.size(0), c.shapes[0][0])
		return func() { c.device.UnitRowsGrad(c.rows(0), c.cols(0), c.out, c.in[0], p[0], p[1]) }
	},
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
	o := &op{
		name: fmt.Sprintf("%s %d at %g", name, h, temperature), in: []int{2}, out: 2, smooth: []bool{true}, apart: []bool{true},
		run: func(c *call) { forward(c.device, c.numbers(0), h, 1/temperature, c.out, c.in[0]) },
	}
	grad := &op{
		name: o.name + " gradient", in: []int{2, 2}, out: 2,
		run: func(c *call) { backward(c.device, c.numbers(0), h, 1/temperature, c.out, c.in[0], c.in[1]) },
	}
	o.grad = func(_ G.Nodes, y, g *G.Node) G.Nodes { return G.Nodes{grad.apply(g, y)} }
	return o.apply(x)
}

// DivideSum divides each block of h columns of z by its sum + eps, whatever
// the sum's sign (DGS-sum). A sum below floor in size is replaced by floor
// with its sign, and counts as constant then; 0 is no floor.
func DivideSum(z *G.Node, h int, eps, floor float64) *G.Node {
	checkBlocks(z, h)
	o := &op{
		name: fmt.Sprintf("divide by sum %d eps %g floor %g", h, eps, floor), in: []int{2}, out: 2, smooth: []bool{true}, apart: []bool{true},
		run: func(c *call) { c.device.DivideSumBlocks(c.numbers(0), h, eps, floor, c.out, c.in[0]) },
	}
	grad := &op{
		name: o.name + " gradient", in: []int{2, 2, 2}, out: 2,
		run: func(c *call) {
			c.device.DivideSumBlocksGrad(c.numbers(0), h, eps, floor, c.out, c.in[0], c.in[1], c.in[2])
		},
	}
	o.grad = func(in G.Nodes, y, g *G.Node) G.Nodes { return G.Nodes{grad.apply(g, y, in[0])} }
	return o.apply(z)
}
