// Package live measures trained models under an open load: events are due at times that
// do not depend on the model. It answers all that are due as one batch, from one state,
// and folds them in. A slow model meets more events at once, from an older state, and
// its metric falls. The response time of an event is from when it was due, so that
// a stall is in the times of all events that it holds up.
//
// A point is one rate. Its events are those of the test part, which are repeated from the
// same state until there are enough answers; some of the validation part come before
// them, so that the queue is in its steady state, and do not count. Before the points the
// model answers one event at a time, which gives the metric of an idle machine, and
// batches of other sizes, which gives the table of service times. With that table
// the same points can be simulated, bit for bit the same each time.
package live

import (
	"context"
	"fmt"
	"time"

	"dgsbench/datasets"
	"dgsbench/harness"
	"dgsbench/harness/latency"
	"dgsbench/internal/lists"
	"dgsbench/internal/optional"
	"dgsbench/kernels"
	"dgsbench/kernels/devices"
	"dgsbench/results/record"
	"dgsbench/specs"
)

// Plan is what to measure.
type Plan struct {
	Trials  []specs.Trial // live tests all
	DataDir string
	Device  devices.Target
	Threads int // that a model may use
	// Store has checkpoints of models, and the measured records that simulated tests
	// take service times from.
	Store record.Store
}

// Hooks report what is going on, between timed parts.
type Hooks = latency.Hooks

// Run measures the trials, dataset by dataset and model by model, and calls keep with
// those of each dataset. An error says what is wrong with the plan or the device, or what
// keep could not do; cancelling ctx stops between answers with ctx's error. A model
// that fails has a record that says so, and the run goes on.
func Run(ctx context.Context, p Plan, h Hooks, keep func([]Measured) error) (err error) {
	defer kernels.CatchFailure(&err)
	r := runner{Plan: p, Hooks: h, run: time.Now().UTC().Format(time.RFC3339Nano), load: harness.Load()}
	steps := 0
	for _, t := range p.Trials {
		steps += numSteps(*t.Protocol.Live)
	}
	h.Start(steps)
	for _, tests := range lists.GroupBy(p.Trials, func(t specs.Trial) string { return t.Dataset }) {
		loaded, err := harness.LoadDataset(tests[0].Dataset, p.DataDir)
		if err != nil {
			return err
		}
		cut := harness.NewCutter(loaded)
		var all []Measured
		for _, t := range tests {
			m, err := r.measure(ctx, t, loaded, cut)
			if err != nil {
				return err
			}
			all = append(all, m)
		}
		if err := keep(all); err != nil {
			return err
		}
	}
	return nil
}

type runner struct {
	Plan
	Hooks
	run  string
	load optional.Number
}

// measure runs one test. The error is for what stops everything.
func (r *runner) measure(ctx context.Context, t specs.Trial, l *datasets.Loaded, cut *harness.Cutter) (Measured, error) {
	left, began := numSteps(*t.Protocol.Live), time.Now()
	s := &subject{trial: t, live: *t.Protocol.Live, tick: func(what string) {
		if left > 0 { // a search may take more points than expected
			r.Step(fmt.Sprintf("%s: %s, %s", t.Dataset, t.Title, what), time.Since(began))
			left--
		}
		began = time.Now()
	}}
	s.Record = harness.Describe(t, l, r.Device)
	s.Record.Threads = r.Threads
	s.Record.Live = &record.Live{Run: r.run, Load: r.load}
	s.newClock = func() clock { return &machine{time.Now()} }
	if s.live.Simulated {
		measured, err := measuredOf(r.Store, s.Record, s.live.LargestBatch)
		if err != nil {
			return s.Measured, err
		}
		l := measured.Live
		s.Record.Machine, s.Record.Threads = measured.Machine, measured.Threads
		s.Record.Live = &record.Live{Run: l.Run, Load: l.Load, Simulated: true, Service: l.Service}
		s.newClock = func() clock { return newSimulated(*s.Record.Live, s.live.LargestBatch) }
	}
	err := harness.Guard(func() error {
		if err := s.train(ctx, r.Plan, l, cut); err != nil {
			return err
		}
		return s.measure(ctx)
	})
	if ctx.Err() != nil {
		return s.Measured, ctx.Err()
	}
	if s.replay != nil {
		if changed := s.replay.Changed(); changed != "" {
			return s.Measured, fmt.Errorf("%s: the %s of events have changed: this model wrote to its batches; nothing of this dataset is kept", t.Ref(), changed)
		}
	}
	if err != nil {
		s.Record.Error = fmt.Sprintf("%s: %v", t.Ref(), err)
	}
	for left > 0 {
		s.tick("finished")
	}
	return s.Measured, nil
}

// searchPoints is about how many points a search measures.
const searchPoints = 6

// numSteps returns about how many steps a test has: training, one by one, batches, points.
func numSteps(l specs.Live) int {
	steps := 2 + len(l.Rates)
	if !l.Simulated {
		steps++
	}
	if l.Searches() {
		steps += searchPoints * len(l.Limits)
	}
	return steps
}

// Expect returns about how many seconds a test takes beside its training.
func Expect(l specs.Live) float64 {
	sum := serviceTime / 2 * float64(1+len(sizes(l.LargestBatch)))
	for _, rate := range l.Rates {
		preload := float64(min(mostPreload, rate)) / float64(rate)
		sum += preload + min(max(l.Seconds, float64(l.Answers)/float64(rate)), l.MostSeconds)
	}
	if l.Searches() {
		sum += searchPoints * float64(len(l.Limits)) * l.Seconds
	}
	return sum
}
