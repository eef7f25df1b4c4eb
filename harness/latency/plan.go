package latency

import (
	"fmt"

	"dgsbench/specs"
)

// Plan is what to measure.
type Plan struct {
	Trials  []specs.Trial // latency tests all
	DataDir string
	Threads int    // that each model may use
	Seed    uint64 // of the order in which models take turns
}

// timing is one batch size: which events are answered, how often.
type timing struct {
	batch, batches      int
	warmups, iterations int
	start               int // the first measured event
	first               int // the first event of the lead-in, in whole batches
}

// end is behind the last measured event.
func (t timing) end() int { return t.start + t.batch*t.batches }

// timings are the headline's and those of the sweep, for a stream of n events.
// All of them start at the same event.
func timings(p specs.Protocol, n int) ([]timing, error) {
	l, events := p.Latency, p.Batch*p.Latency.Batches
	out := []timing{{batch: p.Batch, batches: l.Batches, iterations: l.Iterations}}
	for _, size := range l.Sweep {
		switch {
		case size > events:
			return nil, fmt.Errorf("sweep: batches of %d events, and only %d events are measured", size, events)
		case size != p.Batch:
			out = append(out, timing{batch: size, batches: min(events/size, l.SweepBatches), iterations: l.SweepIterations})
		}
	}
	for i := range out {
		t := &out[i]
		lead := (l.Lead + t.batch - 1) / t.batch
		t.warmups, t.start = l.Warmups, n-events
		t.first = t.start - lead*t.batch
		if t.first <= 0 {
			return nil, fmt.Errorf("%d events, expected more than %d: %d that are measured in batches of %d, and %d before them",
				n, events+lead*t.batch, events, t.batch, lead*t.batch)
		}
	}
	return out, nil
}
