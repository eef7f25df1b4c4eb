//go:build gpu

package cuda

import (
	"math/rand/v2"
	"testing"

	"dgsbench/kernels"
	"dgsbench/kernels/cuda/driver"
)

// BenchmarkPlan plans batches like Wikipedia's (simulated): 145 nodes that
// are written, most of them with a partner of their own, and 160 negatives
// that are only read. The host does it while the card computes the head.
func BenchmarkPlan(b *testing.B) {
	const written, negatives = 145, 160
	rng := rand.New(rand.NewPCG(1, 2))
	shape := kernels.JacobianShape{Features: 172, States: 250, State: make([]int32, 1000)}
	slots := make([]driver.Ptr, written+negatives)
	s := &kernels.JacobianStep{Weights: weights{}}
	for i := range int32(len(slots)) {
		slots[i] = driver.Ptr(1000 + i)
		s.Slots = append(s.Slots, i)
	}
	for i := range int32(written) {
		other := i ^ 1
		if other >= written || rng.IntN(4) == 0 {
			other = rng.Int32N(written)
		}
		s.Writes = append(s.Writes, kernels.JacobianWrite{Self: i, Other: other, Slot: i, Row: rng.Int32N(200)})
	}
	var p jacobianPlan
	for b.Loop() {
		p.prepare(s, &shape, slots)
	}
}
