package dgs

import (
	"fmt"

	"dgsbench/internal/ram"
	"dgsbench/models"
)

// Bytes is the memory that training takes on the stream of s, most of it the
// derivatives of the nodes of the training part.
func Bytes(o *Options, s models.Setup) int64 {
	return bytesFor(o, trainedNodes(s.Train), s.NumFeat)
}

func bytesFor(o *Options, nodes, features int) int64 {
	if o.Gradient == Truncated || o.Embedding == Buckets {
		return 0 // small beside the stream
	}
	return int64(nodes) * bytesPerNode(jacobianShape(o, o.Size, features))
}

// checkMemory refuses to train what would not fit. Inference needs none of
// it.
func checkMemory(o *Options, nodes, features int) error {
	need := bytesFor(o, nodes, features)
	free, known := ram.Available()
	if !known || need <= free {
		return nil
	}
	return fmt.Errorf("the derivatives of %d nodes need %.1f GB, this machine has %.1f GB free: choose more blocks (the memory goes with size / blocks), a smaller size, or jacobian: %s (half of it)",
		nodes, float64(need)/1e9, float64(free)/1e9, BFloat16)
}
