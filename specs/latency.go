package specs

import (
	"dgsbench/internal/strictyaml"
)

// Latency says how a latency test is timed. One iteration answers the last
// Batches x Protocol.Batch events of the stream, from the state that
// everything before them has left.
type Latency struct {
	Batches    int `yaml:"batches"`
	Iterations int `yaml:"iterations"` // timed
	// Warmups are iterations before the timed ones.
	Warmups int `yaml:"warmups"`
	// Lead is how many events are answered, in batches of the size that is
	// measured, between the moment when the state is put back and the start of
	// the clock.
	Lead int `yaml:"lead"`
	// Sweep are further batch sizes, each over the same events, or over
	// SweepBatches batches where that is less, and SweepIterations times.
	Sweep           []int `yaml:"sweep"`
	SweepBatches    int   `yaml:"sweep_batches"`
	SweepIterations int   `yaml:"sweep_iterations"`
	// Known is the mode in which all of these events are known in advance, and
	// answered at once (models.Ahead). In the other, streaming, a batch is
	// known only when the one before it has been answered.
	Known bool `yaml:"known"`
}

// newLatency reads a `latency:` block. What it does not say is as in the
// paper: 200 batches, 10 iterations after one that does not count.
func newLatency(n strictyaml.Node, errs *strictyaml.Errors) *Latency {
	l := Latency{Batches: 200, Iterations: 10, Warmups: 1, Lead: 2_000, SweepBatches: 10_000, SweepIterations: 3}
	errs.Add(n.Decode(&l))
	inRange(n.Get("batches"), l.Batches, 1, 1_000_000, errs)
	inRange(n.Get("iterations"), l.Iterations, 2, 10_000, errs)
	inRange(n.Get("warmups"), l.Warmups, 1, 10_000, errs)
	inRange(n.Get("lead"), l.Lead, 1, 1_000_000, errs)
	inRange(n.Get("sweep_batches"), l.SweepBatches, 1, 1_000_000, errs)
	inRange(n.Get("sweep_iterations"), l.SweepIterations, 2, 10_000, errs)
	if l.Known && len(l.Sweep) > 0 {
		errs.Add(n.Get("sweep").Errorf("known: true has one answer to all events, expected no sweep"))
	}
	seen := map[int]bool{}
	for i, item := range n.Get("sweep").Items() {
		inRange(item, l.Sweep[i], 1, maxBatch, errs)
		if seen[l.Sweep[i]] {
			errs.Add(item.Errorf("%d is listed twice", l.Sweep[i]))
		}
		seen[l.Sweep[i]] = true
	}
	return &l
}
