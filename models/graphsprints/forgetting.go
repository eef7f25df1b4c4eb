package graphsprints

import (
	"math"

	"dgsbench/models"
)

// forgetting is how much of its own state a node keeps at an event: always
// beta, or exp(-dt/tau) with the time dt since the node's last event that is
// in the table. A node without one keeps nothing.
type forgetting struct {
	constant float32
	tau      float64 // seconds; 0 for constant forgetting
	last     []int64 // bits of the time of the node's last event; never for none
}

// never marks a node without events: the bits of no finite time.
const never = int64(math.MaxInt64)

func newForgetting(o *Options, numNodes int) forgetting {
	f := forgetting{constant: float32(o.Beta)}
	if o.Decay == DecayByTime {
		f.tau, f.last = o.Tau, make([]int64, numNodes)
		f.reset()
	}
	return f
}

func (f forgetting) beta(node int32, now float64) float32 {
	switch {
	case f.last == nil:
		return f.constant
	case f.last[node] == never:
		return 0
	}
	then := math.Float64frombits(uint64(f.last[node]))
	return float32(math.Exp(min(0, then-now) / f.tau)) // then is not later, unless a checkpoint says so
}

// seen says that the node's state is now that of an event.
func (f forgetting) seen(node int32, when float64) {
	if f.last != nil {
		f.last[node] = int64(math.Float64bits(when))
	}
}

func (f forgetting) reset() {
	for i := range f.last {
		f.last[i] = never
	}
}

func (f forgetting) tensors() []models.Tensor {
	if f.last == nil {
		return nil
	}
	return []models.Tensor{{Name: "last", Shape: []int{len(f.last)}, I64: f.last}}
}
