package dgs

import "dgsbench/kernels"

// newDrive is the call that computes what a write adds to the Jacobian by W
// beside the old ones, for all lanes: (1-beta) (1-alpha) dE/dz of its event.
func newDrive(n *network, t *states, to kernels.Buffer, lanes int, p kernels.Buffer) *kernels.BlockDerivatives {
	h, kept := blockSize(n.opts)
	return &kernels.BlockDerivatives{
		By: normalisations[n.opts.Embedding].by, Scale: 1 / n.opts.Temperature, Eps: sumEps, Floor: n.opts.SumFloor,
		Blocks: n.opts.Blocks, H: h, Kept: kept, Dst: to, Stride: lanes, P: p, Index: t.rows.event.on,
	}
}
