package latency

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"dgsbench/datasets"
	"dgsbench/harness"
	"dgsbench/internal/optional"
	"dgsbench/kernels"
	"dgsbench/results/record"
	"dgsbench/specs"
)

// Measured is a model's record with its samples; none where it failed.
type Measured struct {
	Record  record.Record
	Samples record.Samples
	Replays record.Replays
}

// Hooks tell whoever watches what is going on, between timed parts. Both must
// be set.
type Hooks struct {
	Start func(steps int)
	// Step says what was done.
	Step func(what string, took time.Duration)
}

// Run measures the trials, dataset by dataset, and hands each dataset's to
// keep. An error says what is wrong with the plan or the device, or what keep could not do;
// cancelling ctx stops between iterations with ctx's error. A model that fails
// has a record that says so, and the run goes on.
func Run(ctx context.Context, p Plan, h Hooks, keep func([]Measured) error) (err error) {
	defer kernels.CatchFailure(&err)
	r := runner{Plan: p, Hooks: h, rng: rand.New(rand.NewPCG(p.Seed, 0)), started: time.Now(), load: load()}
	if r.records, err = records(p); err != nil {
		return err
	}
	groups := byDataset(p)
	steps := 0
	for _, g := range groups {
		if err := oneMode(g.Trials); err != nil {
			return err
		}
		steps += len(g.Trials) + 1 + len(g.Trials[0].Protocol.Latency.Sweep)
		if r.hasGraphs(g) {
			steps++
		}
	}
	h.Start(steps)
	for _, g := range groups {
		all, err := r.dataset(ctx, g)
		if err != nil {
			return err
		}
		if err := keep(all); err != nil {
			return err
		}
	}
	return nil
}

// byDataset are the trials of each dataset, in order.
func byDataset(p Plan) []Plan {
	var out []Plan
	at := map[string]int{}
	for _, t := range p.Trials {
		i, known := at[t.Dataset]
		if !known {
			i = len(out)
			at[t.Dataset], out = i, append(out, Plan{})
		}
		out[i].Trials = append(out[i].Trials, t)
	}
	return out
}

// oneMode refuses tests of a dataset that are of both modes: they take turns,
// and stand in one table.
func oneMode(tests []specs.Trial) error {
	first := tests[0]
	for _, t := range tests {
		if mode(t) != mode(first) {
			return fmt.Errorf("dataset %s: %s is to be measured %s, and %s %s: expected one mode for a dataset; use a suite for each",
				t.Dataset, first.Ref(), mode(first), t.Ref(), mode(t))
		}
	}
	return nil
}

type runner struct {
	Plan
	Hooks
	rng     *rand.Rand
	started time.Time
	load    optional.Number
	records bool // the device is a kernels.Recorder
}

// dataset measures the trials of one.
func (r *runner) dataset(ctx context.Context, p Plan) ([]Measured, error) {
	name := p.Trials[0].Dataset
	d, err := datasets.Lookup(name)
	if err != nil {
		return nil, err
	}
	loaded, err := d.Load(r.DataDir)
	if err != nil {
		return nil, err
	}
	var subjects []*subject
	for _, t := range p.Trials {
		s, err := newSubject(t, loaded, r.Device, r.Threads)
		if err != nil {
			return nil, err
		}
		subjects = append(subjects, s)
	}
	if err := room(name, subjects, r.Device); err != nil {
		return nil, err
	}
	for i, s := range subjects {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		start, t := time.Now(), p.Trials[i]
		s.record.Latency = &record.Latency{Run: r.started.UTC().Format(time.RFC3339Nano), Mode: mode(t), Load: r.load}
		s.fail(harness.Guard(s.prepare))
		r.Step(fmt.Sprintf("%s: %s is warm", name, t.Title), time.Since(start))
	}
	for i, at := range subjects[0].timings {
		start := time.Now()
		if err := r.timing(ctx, subjects, i); err != nil {
			return nil, err
		}
		r.Step(fmt.Sprintf("%s: %d times %d batches of %d", name, at.iterations, at.batches, at.batch), time.Since(start))
	}
	if r.hasGraphs(p) {
		start := time.Now()
		if err := r.graphs(ctx, subjects); err != nil {
			return nil, err
		}
		at := subjects[0].timings[0]
		r.Step(fmt.Sprintf("%s: %d times one graph of %d batches of %d", name, at.iterations, at.batches, at.batch), time.Since(start))
	}
	var out []Measured
	for _, s := range subjects {
		out = append(out, Measured{s.record, s.samples, s.replays})
	}
	return out, nil
}

// fail makes the model one that failed, if there is an error.
func (s *subject) fail(err error) {
	if err != nil && !s.record.Failed() {
		s.record.Error = fmt.Sprintf("%s: %v", s.trial.Ref(), err)
	}
}

// timing lets the models take turns with batches of one size.
func (r *runner) timing(ctx context.Context, subjects []*subject, index int) error {
	turns := make([]*turn, 0, len(subjects))
	for _, s := range subjects {
		if s.record.Failed() {
			continue
		}
		t := &turn{subject: s}
		s.fail(harness.Guard(func() (err error) {
			t.instance, err = newInstance(s, s.timings[index])
			return err
		}))
		if !s.record.Failed() {
			turns = append(turns, t)
		}
	}
	at := subjects[0].timings[index]
	for round := range at.warmups + at.iterations {
		r.rng.Shuffle(len(turns), func(i, j int) { turns[i], turns[j] = turns[j], turns[i] })
		for _, t := range turns {
			if err := ctx.Err(); err != nil {
				return err
			}
			t.take(round)
		}
	}
	for _, t := range turns {
		t.finish()
	}
	return nil
}

// turn is a model with what it has given so far.
type turn struct {
	*subject
	*instance
	first    time.Duration // its very first answer
	observed []observation
}

// take is one iteration; those that warm up are not kept.
func (t *turn) take(round int) {
	if t.record.Failed() {
		return
	}
	var o observation
	err := harness.Guard(func() (err error) {
		o, err = t.iterate()
		return err
	})
	if round == 0 {
		t.first = o.first
	}
	if err != nil {
		t.fail(err)
	} else if round >= t.warmups {
		t.observed = append(t.observed, o)
	}
}

// finish adds the timing to the record.
func (t *turn) finish() {
	if t.record.Failed() {
		return
	}
	var ns []int64
	for _, o := range t.observed {
		ns = append(ns, o.samples...)
		t.record.Durations.Test += total(o)
	}
	t.record.Durations.Total = t.record.Durations.Test
	t.subject.samples[t.batch] = ns
	t.record.Latency.Timings = append(t.record.Latency.Timings, record.Timing{
		Batch: t.batch, Batches: t.batches, Iterations: t.iterations, Histogram: histogram(ns),
		FirstCall: t.first.Seconds(), Warnings: warnings(t.observed, t.first),
	})
}

// Keep writes records and samples to the store.
func Keep(s record.Store, all []Measured) error {
	for _, m := range all {
		if _, err := s.WriteLatency(m.Record, m.Samples, m.Replays); err != nil {
			return &harness.StoreError{Err: err}
		}
	}
	return nil
}
