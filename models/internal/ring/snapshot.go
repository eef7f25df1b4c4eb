package ring

import (
	"fmt"
	"math"

	"dgsbench/models"
	"dgsbench/nn"
)

// Tensors copies the ring: counts, and of every place neighbour, event and
// the bits of the time.
func (r *Ring) Tensors() []models.Tensor {
	places := []int{len(r.counts), r.size}
	times := make([]int64, len(r.times))
	for i, t := range r.times {
		times[i] = int64(math.Float64bits(t))
	}
	return []models.Tensor{
		{Name: "ring.counts", Shape: []int{len(r.counts)}, I64: wide(r.counts)},
		{Name: "ring.neighbours", Shape: places, I64: wide(r.neighbours)},
		{Name: "ring.events", Shape: places, I64: wide(r.events)},
		{Name: "ring.times", Shape: places, I64: times},
	}
}

// Check refuses what Tensors cannot have given.
func (r *Ring) Check(saved []models.Tensor) error {
	own := r.Tensors()
	if err := models.Check(own, saved); err != nil {
		return err
	}
	nodes := int64(len(r.counts))
	for i, most := range []int64{2 * int64(r.size), nodes, math.MaxInt32 + 1} {
		for _, x := range saved[i].I64 {
			if x < 0 || x >= most {
				return fmt.Errorf("snapshot tensor %s has %d, expected 0 to %d", saved[i], x, most-1)
			}
		}
	}
	return models.CheckTimes(saved[3], nn.Largest)
}

// Restore puts back what Tensors gave.
func (r *Ring) Restore(saved []models.Tensor) {
	narrow(r.counts, saved[0].I64)
	narrow(r.neighbours, saved[1].I64)
	narrow(r.events, saved[2].I64)
	for i, bits := range saved[3].I64 {
		r.times[i] = math.Float64frombits(uint64(bits))
	}
}

func wide(x []int32) []int64 {
	out := make([]int64, len(x))
	for i, v := range x {
		out[i] = int64(v)
	}
	return out
}

func narrow(dst []int32, x []int64) {
	for i, v := range x {
		dst[i] = int32(v)
	}
}
