// Package latency times how fast models answer a stream: the paper's test of
// 200 batches x 200 events, how times are distributed over batches, single
// events, and a sweep of batch sizes.
//
// A model is warmed up with everything before the measured events. Then, for
// every batch size, all models take turns in random order: a model's state is
// restored, a few batches lead in, and the clock runs from the first measured
// batch to the last. What is timed is Classify alone: gathering states,
// embedding, updating, writing back and the head; reading the stream is not.
// The mode is streaming: a batch is handed over when the one before it has
// been answered. In the other mode, for models that are models.Ahead, all
// events are known in advance and one call answers them; the answers are
// compared with those of streaming. A dataset's tests are of one mode.
//
// On a device that is a kernels.Recorder, the headline is also measured as one
// graph: all batches are recorded, and a replay submits them at once. These
// times are no streaming, and are reported apart.
//
// What could make a time dishonest is watched and becomes a warning beside the
// number (allocations and collections in the timed part, answers that are slow
// at first, a clock that misses a part) or fails the model (answers that
// differ from those of an untimed run).
//
// Times of different runs are never compared. Two builds are, by Compare,
// which runs them alternately.
package latency

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"dgsbench/harness"
	"dgsbench/internal/lists"
	"dgsbench/kernels"
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

// Hooks report what is going on, between timed parts. Both must be set.
type Hooks struct {
	Start func(steps int)
	Step  func(what string, took time.Duration) // that was done
}

// Run measures the trials, dataset by dataset, and calls keep with those of
// each. An error says what is wrong with the plan or the device, or what keep
// could not do; cancelling ctx stops between iterations with ctx's error. A
// model that fails has a record that says so, and the run goes on.
func Run(ctx context.Context, p Plan, h Hooks, keep func([]Measured) error) (err error) {
	defer kernels.CatchFailure(&err)
	r := runner{
		Plan: p, Hooks: h, rng: rand.New(rand.NewPCG(p.Seed, 0)),
		latency: record.Latency{Run: time.Now().UTC().Format(time.RFC3339Nano), Load: harness.Load()},
	}
	device, err := p.Device.New(p.Threads)
	if err != nil {
		return err
	}
	_, r.recorder = device.(kernels.Recorder)
	groups := byDataset(p.Trials)
	steps := 0
	for _, tests := range groups {
		if err := checkModes(tests); err != nil {
			return err
		}
		steps += len(tests) + len(batchSizes(tests[0].Protocol))
		if r.hasGraphs(tests) {
			steps++
		}
	}
	h.Start(steps)
	for _, tests := range groups {
		all, err := r.dataset(ctx, tests)
		if err != nil {
			return err
		}
		if err := keep(all); err != nil {
			return err
		}
	}
	return nil
}

// byDataset groups the trials by their dataset, in order.
func byDataset(tests []specs.Trial) [][]specs.Trial {
	return lists.GroupBy(tests, func(t specs.Trial) string { return t.Dataset })
}

// mode returns what a trial's records call its mode.
func mode(t specs.Trial) string {
	if t.Protocol.Latency.Known {
		return record.Known
	}
	return record.Streaming
}

// checkModes returns an error if tests of a dataset differ in mode: they share a table.
func checkModes(tests []specs.Trial) error {
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
	rng      *rand.Rand
	latency  record.Latency // what all records say
	recorder bool           // the device is a kernels.Recorder
}

// hasGraphs reports whether a dataset's tests are also measured as graphs.
func (r *runner) hasGraphs(tests []specs.Trial) bool {
	return r.recorder && mode(tests[0]) == record.Streaming
}

// dataset measures the tests of one dataset.
func (r *runner) dataset(ctx context.Context, tests []specs.Trial) ([]Measured, error) {
	name := tests[0].Dataset
	loaded, err := harness.LoadDataset(name, r.DataDir)
	if err != nil {
		return nil, err
	}
	var subjects []*subject
	for _, t := range tests {
		s, err := newSubject(t, loaded, r.Device, r.Threads)
		if err != nil {
			return nil, err
		}
		defer s.Close()
		subjects = append(subjects, s)
	}
	if err := checkMemory(name, subjects); err != nil {
		return nil, err
	}
	for _, s := range subjects {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		start, latency := time.Now(), r.latency
		latency.Mode = mode(s.trial)
		s.Record.Latency = &latency
		s.fail(harness.Guard(s.prepare))
		r.Step(fmt.Sprintf("%s: %s is warm", name, s.trial.Title), time.Since(start))
	}
	for i, at := range subjects[0].timings {
		start := time.Now()
		var all []measurement
		for _, s := range subjects {
			if !s.Record.Failed() {
				all = append(all, &instance{subject: s, timing: s.timings[i]})
			}
		}
		if err := r.takeTurns(ctx, all, at.warmups+at.iterations); err != nil {
			return nil, err
		}
		answers, events := at.answers()
		r.Step(fmt.Sprintf("%s: %d times %d batches of %d", name, at.iterations, answers, events), time.Since(start))
	}
	if r.hasGraphs(tests) {
		start, at := time.Now(), subjects[0].timings[0]
		if err := r.timeGraphs(ctx, subjects, at.iterations+1); err != nil {
			return nil, err
		}
		r.Step(fmt.Sprintf("%s: %d times one graph of %d batches of %d", name, at.iterations, at.batches, at.batch), time.Since(start))
	}
	return lists.Map(subjects, func(s *subject) Measured { return s.Measured }), nil
}

// timeGraphs measures the models that have a device, in both modes of a graph.
// Their recordings are closed also when the device fails.
func (r *runner) timeGraphs(ctx context.Context, subjects []*subject, rounds int) error {
	var all []measurement
	for _, s := range subjects {
		if s.Record.Failed() || s.Device() == nil {
			continue
		}
		for _, mode := range []string{record.Graph, record.GraphWithCopies} {
			g := &graph{subject: s, mode: mode}
			defer g.close()
			all = append(all, g)
		}
	}
	return r.takeTurns(ctx, all, rounds)
}

// measurement is a model in one of its timings.
type measurement interface {
	setUp() error         // builds the model and brings it to where it is timed
	turn(round int) error // measures one iteration, or warms up in the first rounds
	finish(err error)     // adds what was measured to the record, or the first error
}

// takeTurns calls turn of every measurement in each round, in random order. One
// that fails has no more turns.
func (r *runner) takeTurns(ctx context.Context, all []measurement, rounds int) error {
	turns, errs := make([]int, len(all)), make([]error, len(all))
	for i, m := range all {
		if err := ctx.Err(); err != nil {
			return err
		}
		turns[i], errs[i] = i, harness.Guard(m.setUp)
	}
	for round := range rounds {
		r.rng.Shuffle(len(turns), func(i, j int) { turns[i], turns[j] = turns[j], turns[i] })
		for _, i := range turns {
			if err := ctx.Err(); err != nil {
				return err
			}
			if errs[i] == nil {
				errs[i] = harness.Guard(func() error { return all[i].turn(round) })
			}
		}
	}
	for i, m := range all {
		m.finish(errs[i])
	}
	return nil
}
