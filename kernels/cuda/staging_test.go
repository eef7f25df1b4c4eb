//go:build gpu

package cuda_test

import (
	"math/rand/v2"
	"testing"

	"dgsbench/kernels"
	"dgsbench/kernels/cuda/cudatest"
)

// TestAnswerAfterOddBytes: a chain writes its answer to an aligned address,
// also after a copy of bytes that are no whole numbers.
func TestAnswerAfterOddBytes(t *testing.T) {
	d := cudatest.Device(t)
	halves := d.NewJacobians(kernels.JacobianShape{
		Features: 1, States: 1, State: make([]int32, 3), Plus: []int32{-1, -1, -1}, Minus: []int32{-1, -1, -1}, Columns: 1, Half: true,
	})
	halves.Grow(1)
	halves.Read(make([]float32, 3), 0)

	const most = 13
	l := newLayers(d, most)
	c := d.(kernels.Fuser).Fuse(most)
	b := drawBatch(rand.New(rand.NewPCG(1, 2)), 9)
	c.Begin(9)
	l.run(c, newScratch(c, most, c.NewVector), b)
	c.End()
	answer := make([]float32, 9*narrow)
	d.Read(answer, l.out)
	near(t, 9, "answers", answer, read(d, l.out)[:len(answer)])
}
