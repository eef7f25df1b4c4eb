package dgs

import (
	"dgsbench/kernels"
	"dgsbench/nn"
)

// sumEps is what DGS-sum adds to a block's sum, without sign.
const sumEps = 1e-6

// normalisation makes E of z = W F, block by block of h numbers.
type normalisation struct {
	node func(z *nn.Node, h int, o *Options) *nn.Node
	by   kernels.Rescaling
	// shiftless normalisations do not change when a number is added to all
	// of a block. Then the derivatives by the rows of a block add up to zero,
	// and those by the last row need not be kept.
	shiftless bool
}

// normalisations are those of the embeddings that have a W.
var normalisations = map[Embedding]normalisation{
	Softmax:   tempered(nn.Softmax, kernels.Softmax),
	Sparsemax: tempered(nn.Sparsemax, kernels.Sparsemax),
	Entmax:    tempered(nn.Entmax, kernels.Entmax),
	Sum: {
		node: func(z *nn.Node, h int, o *Options) *nn.Node { return nn.DivideSum(z, h, sumEps, o.SumFloor) },
		by:   kernels.DivideSum,
	},
}

// tempered is a normalisation of z / T by a layer.
func tempered(layer func(z *nn.Node, h int, temperature float64) *nn.Node, by kernels.Rescaling) normalisation {
	return normalisation{
		node:      func(z *nn.Node, h int, o *Options) *nn.Node { return layer(z, h, o.Temperature) },
		by:        by,
		shiftless: true,
	}
}
