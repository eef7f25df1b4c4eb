package nn

import (
	"fmt"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// BatchNormParams are those of a batch normalisation, a number per column
// each.
type BatchNormParams struct {
	Scale, Shift *G.Node
	// Mean and Variance are running averages, without gradient (Graph.Param).
	// Every run of a program for training moves them by Momentum towards
	// the batch, as PyTorch does: the variance is that with rows-1 below.
	Mean, Variance *G.Node
	Momentum, Eps  float64 // PyTorch's defaults are .1 and 1e-5
}

// BatchNorm is PyTorch's BatchNorm1d: each column of x less its mean, divided
// by sqrt(variance + eps), times scale, plus shift. In programs for training
// mean and variance are those of the batch, else the running averages.
func BatchNorm(x *G.Node, p BatchNormParams) (*G.Node, error) {
	packed, err := batchNormPacked(p.Momentum, p.Eps).apply(x, p.Scale, p.Shift, p.Mean, p.Variance)
	if err != nil {
		return nil, err
	}
	return batchNorm.apply(x, p.Scale, p.Shift, packed)
}

// batchNormPacked is out | hat | inverse | mean | variance of the batch.
func batchNormPacked(momentum, eps float64) *op {
	return &op{
		name: fmt.Sprintf("batch norm momentum %g eps %g", momentum, eps), in: []int{2, 1, 1, 1, 1}, out: 1, rows: fixed,
		sizes: []string{"nk", "k", "k", "k", "k"},
		apart: []bool{true, false, false, false, false},
		shape: func(s []tensor.Shape) tensor.Shape {
			return packedShape(s[0].TotalSize(), s[0].TotalSize(), s[0][1], s[0][1], s[0][1])
		},
		call: func(c *call) func() {
			if c.mode == ForInference {
				return batchNormFixed(c, eps)
			}
			return batchNormRunning(c, momentum, eps)
		},
	}
}

func batchNormFixed(c *call, eps float64) func() {
	p := c.sections(c.out, c.size(0), c.size(0), c.cols(0))
	return func() {
		c.device.BatchNormFixed(c.rows(0), c.cols(0), eps, p[0], p[2], c.in[0], c.in[3], c.in[4], c.in[1], c.in[2])
	}
}

// batchNormRunning moves the running averages, too. A batch of one row has no
// variance: it moves the mean alone. An empty one moves nothing.
func batchNormRunning(c *call, momentum, eps float64) func() {
	cols := c.cols(0)
	p := c.sections(c.out, c.size(0), c.size(0), cols, cols, cols)
	return func() {
		rows := c.rows(0)
		if rows == 0 {
			return
		}
		c.device.BatchNorm(rows, cols, eps, p[0], p[1], p[3], p[4], p[2], c.in[0], c.in[1], c.in[2])
		c.device.Blend(cols, c.in[3], 1-momentum, p[3], momentum)
		if rows > 1 {
			c.device.Blend(cols, c.in[4], 1-momentum, p[4], momentum*float64(rows)/float64(rows-1))
		}
	}
}

// batchNorm is out; its last input is the packed result.
var batchNorm = &op{
	name: "batch norm", in: []int{2, 1, 1, 1}, out: 2, rows: 0, smooth: []bool{true, true, true, false},
	apart: []bool{true, false, false, true},
	shape: sameShape,
	view:  &window{3, 0},
	grad: func(in G.Nodes, _, g *G.Node) (G.Nodes, error) {
		packed, err := batchNormGrad.apply(g, in[0], in[1], in[3])
		if err != nil {
			return nil, err
		}
		d, err := parts(packed, in[0], in[1], in[2])
		return append(d, nil), err
	},
}

// batchNormGrad is the gradients of x | scale | shift.
var batchNormGrad = &op{
	name: "batch norm gradient", inTraining: true, in: []int{2, 2, 1, 1}, out: 1, rows: fixed,
	shape: func(s []tensor.Shape) tensor.Shape {
		return packedShape(s[1].TotalSize(), s[2].TotalSize(), s[2].TotalSize())
	},
	call: func(c *call) func() {
		p := c.sections(c.in[3], c.size(1), c.size(1), c.cols(1))
		d := c.sections(c.out, c.size(1), c.size(2), c.size(2))
		return func() {
			c.device.BatchNormGrad(c.rows(0), c.cols(0), d[0], d[1], d[2], c.in[0], p[1], p[2], c.in[2])
		}
	},
}
