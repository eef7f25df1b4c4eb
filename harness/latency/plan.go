package latency

import (
	"fmt"

	"dgsbench/kernels/devices"
	"dgsbench/results/record"
	"dgsbench/specs"
)

// Plan is what to measure.
type Plan struct {
	Trials  []specs.Trial // latency tests all
	DataDir string
	Device  devices.Target
	Threads int    // that each model may use
	Seed    uint64 // of the order in which models take turns
}

// mode is what a trial's records call its mode.
func mode(t specs.Trial) string {
	if t.Protocol.Latency.Known {
		return record.Known
	}
	return record.Streaming
}

// timing is one batch size: which events are answered, how often.
type timing struct {
	batch, batches      int
	warmups, iterations int
	start               int // the first measured event
	first               int // the first event of the lead-in, in whole batches
	// fold is how many events the model takes as one batch: as many as batch,
	// but for those that are known in advance and are all of one answer.
	fold  int
	known bool
}

// end is behind the last measured event.
func (t timing) end() int { return t.start + t.batch*t.batches }

// streamed is the same events, batch by batch.
func (t timing) streamed() timing {
	t.batch, t.batches = t.fold, t.batches*t.batch/t.fold
	return t
}

// timings are the headline's and those of the sweep, for a stream of n events.
// All of them start at the same event.
func timings(p specs.Protocol, n int) ([]timing, error) {
	l, events := p.Latency, p.Batch*p.Latency.Batches
	out := []timing{{batch: p.Batch, batches: l.Batches, fold: p.Batch, iterations: l.Iterations}}
	if l.Known {
		out[0].batch, out[0].batches, out[0].known = events, 1, true
	}
	for _, size := range l.Sweep {
		switch {
		case size > events:
			return nil, fmt.Errorf("sweep: batches of %d events, and only %d events are measured", size, events)
		case size != p.Batch:
			out = append(out, timing{batch: size, batches: min(events/size, l.SweepBatches), fold: size, iterations: l.SweepIterations})
		}
	}
	for i := range out {
		t := &out[i]
		lead := (l.Lead + t.fold - 1) / t.fold
		t.warmups, t.start = l.Warmups, n-events
		t.first = t.start - lead*t.fold
		if t.first <= 0 {
			return nil, fmt.Errorf("%d events, expected more than %d: %d that are measured in batches of %d, and %d before them",
				n, events+lead*t.fold, events, t.fold, lead*t.fold)
		}
	}
	return out, nil
}
