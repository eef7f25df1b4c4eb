package nn

import (
	"fmt"

	"dgsbench/kernels"

	G "gorgonia.org/gorgonia"
)

// Softmax is the softmax of x/temperature over each block of h columns, as in
// the embedding of Deep-Graph-Sprints. h divides the columns.
func Softmax(x *G.Node, h int, temperature float64) (*G.Node, error) {
	return toSimplex("softmax", kernels.Device.SoftmaxBlocks, kernels.Device.SoftmaxBlocksGrad, x, h, temperature)
}

// Sparsemax is, in each block of h columns, the point of the simplex nearest
// to x/temperature (Martins and Astudillo, 2016). h divides the columns.
func Sparsemax(x *G.Node, h int, temperature float64) (*G.Node, error) {
	return toSimplex("sparsemax", kernels.Device.SparsemaxBlocks, kernels.Device.SparsemaxBlocksGrad, x, h, temperature)
}

// Entmax is 1.5-entmax of x/temperature over each block of h columns (Peters,
// Niculae and Martins, 2019): between the softmax and the sparsemax. h
// divides the columns.
func Entmax(x *G.Node, h int, temperature float64) (*G.Node, error) {
	return toSimplex("entmax", kernels.Device.EntmaxBlocks, kernels.Device.EntmaxBlocksGrad, x, h, temperature)
}

func checkBlocks(x *G.Node, h int) error {
	if cols := x.Shape()[1]; h < 1 || cols%h != 0 {
		return fmt.Errorf("blocks of %d columns do not divide the %d columns of %s", h, cols, x.Name())
	}
	return nil
}

// toSimplex makes each block a probability distribution by one kernel; the
// other is its gradient, of the given one and of the result.
func toSimplex(
	name string,
	forward func(d kernels.Device, n, h int, scale float64, dst, x kernels.Buffer),
	backward func(d kernels.Device, n, h int, scale float64, dx, g, y kernels.Buffer),
	x *G.Node, h int, temperature float64,
) (*G.Node, error) {
	if err := checkBlocks(x, h); err != nil {
		return nil, err
	}
	o := &op{
		name: fmt.Sprintf("%s %d at %g", name, h, temperature), in: []int{2}, out: 2, rows: 0, smooth: []bool{true},
		apart: []bool{true},
		shape: sameShape,
		call: func(c *call) func() {
			return func() { forward(c.device, c.rows(0)*c.cols(0), h, 1/temperature, c.out, c.in[0]) }
		},
	}
	grad := &op{
		name: o.name + " gradient", in: []int{2, 2}, out: 2, rows: 0,
		shape: sameShape,
		call: func(c *call) func() {
			return func() { backward(c.device, c.rows(0)*c.cols(0), h, 1/temperature, c.out, c.in[0], c.in[1]) }
		},
	}
	o.grad = func(_ G.Nodes, y, g *G.Node) (G.Nodes, error) { return applyAll(node{grad, G.Nodes{g, y}}) }
	return o.apply(x)
}

// DivideSum divides each block of h columns of z by its sum + eps, whatever
// the sum's sign (DGS-sum). A sum below floor in size is replaced by floor
// with its sign, and counts as constant then; 0 is no floor.
func DivideSum(z *G.Node, h int, eps, floor float64) (*G.Node, error) {
	if err := checkBlocks(z, h); err != nil {
		return nil, err
	}
	return divideSum(h, eps, floor).apply(z)
}

func divideSum(h int, eps, floor float64) *op {
	o := &op{
		name: fmt.Sprintf("divide by sum %d eps %g floor %g", h, eps, floor), in: []int{2}, out: 2, rows: 0, smooth: []bool{true},
		apart: []bool{true},
		shape: sameShape,
		call: func(c *call) func() {
			return func() { c.device.DivideSumBlocks(c.rows(0)*c.cols(0), h, eps, floor, c.out, c.in[0]) }
		},
	}
	grad := &op{
		name: o.name + " gradient", in: []int{2, 2, 2}, out: 2, rows: 0,
		shape: sameShape,
		call: func(c *call) func() {
			return func() {
				c.device.DivideSumBlocksGrad(c.rows(0)*c.cols(0), h, eps, floor, c.out, c.in[0], c.in[1], c.in[2])
			}
		},
	}
	o.grad = func(in G.Nodes, y, g *G.Node) (G.Nodes, error) { return applyAll(node{grad, G.Nodes{g, y, in[0]}}) }
	return o
}
