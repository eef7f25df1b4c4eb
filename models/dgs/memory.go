package dgs

import (
	"fmt"

	"dgsbench/internal/ram"
	"dgsbench/models"
)

// Bytes is the memory that training takes on the stream of s, most of it the
// derivatives of the nodes of the training part.
func Bytes(o *Options, s models.Setup) int64 {
	if o.Gradient == Truncated || o.Embedding == Buckets {
		return 0 // small beside the stream
	}
	shape := jacobianShape(o, o.Size, s.NumFeat)
	return int64(trainedNodes(s.Train)) * bytesPerNode(shape)
}

// checkMemory refuses what would not fit.
func checkMemory(o *Options, s models.Setup) error {
	need := Bytes(o, s)
	free, known := ram.Available()
	if !known || need <= free {
		return nil
	}
	return fmt.Errorf("the derivatives of %d nodes need %.1f GB, this machine has %.1f GB free: choose more blocks (the memory goes with size / blocks), a smaller size, or jacobian: %s (half of it)",
		trainedNodes(s.Train), float64(need)/1e9, float64(free)/1e9, BFloat16)
}
