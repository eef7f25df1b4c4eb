package dgs

import (
	"dgsbench/kernels"
	"dgsbench/nn"
)

// sumEps is what DGS-sum adds to a block's sum, without sign.
const sumEps = 1e-6

// normalisation makes E of z = W F, block by block of h numbers.
type normalisation struct {
	node func(z *nn.Node, h int, o *Options) (*nn.Node, error)
	// pull is its gradient by itself: dz of g, the gradient of y = E(z). n
	// numbers are whole blocks.
	pull func(d kernels.Device, n, h int, o *Options, dz, g, y, z kernels.Buffer)
	// shiftless normalisations do not change when a number is added to all
	// of a block. Then the derivatives by the rows of a block add up to zero,
	// and those by the last row need not be kept.
	shiftless bool
	// readsZ says that pull reads z.
	readsZ bool
}

// normalisations are those of the embeddings that have a W.
var normalisations = map[Embedding]normalisation{
	Softmax:   tempered(nn.Softmax, kernels.Device.SoftmaxBlocksGrad),
	Sparsemax: tempered(nn.Sparsemax, kernels.Device.SparsemaxBlocksGrad),
	Entmax:    tempered(nn.Entmax, kernels.Device.EntmaxBlocksGrad),
	Sum: {
		node: func(z *nn.Node, h int, o *Options) (*nn.Node, error) { return nn.DivideSum(z, h, sumEps, o.SumFloor) },
		pull: func(d kernels.Device, n, h int, o *Options, dz, g, y, z kernels.Buffer) {
			d.DivideSumBlocksGrad(n, h, sumEps, o.SumFloor, dz, g, y, z)
		},
		readsZ: true,
	},
}

// tempered is a normalisation of z / T by a layer and the kernel of its
// gradient.
func tempered(
	layer func(z *nn.Node, h int, temperature float64) (*nn.Node, error),
	gradient func(d kernels.Device, n, h int, scale float64, dx, g, y kernels.Buffer),
) normalisation {
	return normalisation{
		node: func(z *nn.Node, h int, o *Options) (*nn.Node, error) { return layer(z, h, o.Temperature) },
		pull: func(d kernels.Device, n, h int, o *Options, dz, g, y, _ kernels.Buffer) {
			gradient(d, n, h, 1/o.Temperature, dz, g, y)
		},
		shiftless: true,
	}
}
