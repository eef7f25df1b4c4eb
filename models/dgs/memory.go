package dgs

import (
	"fmt"

	"dgsbench/internal/ram"
	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/models/buckets"
	"dgsbench/protocol"
)

// Bytes is the memory that a model takes on the stream of s: most of it is the
// Jacobians of the nodes of the training part, if it is trained.
func Bytes(o *Options, s models.Setup) int64 {
	size := o.Size
	if o.Embedding == Buckets {
		size = buckets.New(s.Train, o.Buckets).Size()
	}
	return bytesFor(o, size, trainedNodes(s.Train), s)
}

// bytesFor counts the tables of all nodes (states in two halves, A and B, and in link
// prediction the right parts of the head), the Jacobians of so many trained
// ones, and what the drive of a batch takes.
func bytesFor(o *Options, size, trained int, s models.Setup) int64 {
	shape := jacobianShape(o, size, s.NumFeat)
	perNode, writes := 2*4*int64(size), 2*int64(s.MaxBatch)
	if s.Task == protocol.LinkPrediction {
		perNode += 4 * int64(o.Head.Hidden[0])
	}
	if o.Gradient != Forward || s.Inference {
		return perNode * int64(s.NumNodes)
	}
	perNode += 2 * 4 * int64(size)
	drive := 4 * writes * int64(shape.Lanes())
	return perNode*int64(s.NumNodes) + shape.Bytes()*int64(trained) + drive
}

// checkMemory refuses to train what would not fit into the machine's memory; a
// card is asked for its own. What keeps no derivatives needs no more than inference.
func (m *Model) checkMemory() error {
	if _, elsewhere := m.device.(kernels.MemoryOwner); elsewhere || m.opts.Gradient != Forward {
		return nil
	}
	need := bytesFor(m.opts, m.net.size, m.trainedNodes, m.setup)
	free, known := ram.Available()
	if !known || need <= free {
		return nil
	}
	return fmt.Errorf("training needs %.1f GB, most of it derivatives of %d nodes, and this machine has %.1f GB free: choose more blocks (the memory goes with size / blocks), a smaller size, or jacobian: %s",
		float64(need)/1e9, m.trainedNodes, float64(free)/1e9, BFloat16)
}
