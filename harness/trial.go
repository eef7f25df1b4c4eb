// Package harness is the protocol: how batches are cut, how models are trained
// and stopped, how they are ranked and classified, and how trials share the
// machine. It knows models only through models.Model, and reports through hooks.
//
// Three functions are the life of a trial: newJob cuts its data, measure builds
// its model, trains and evaluates it, and trainer.measure writes its record.
package harness

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/kernels/devices"
	"dgsbench/models"
	"dgsbench/results/record"
	"dgsbench/specs"
)

// Numerics is raised by hand whenever results may change, which makes older records stale.
const Numerics = 5

// job is one trial to be measured.
type job struct {
	trial      specs.Trial
	record     record.Record // as Describe returned it
	parts      datasets.Parts
	cutter     *Cutter // of the parts
	windows    int     // that measuring goes through, unless training is stopped early
	bytes      int64   // of memory
	untested   bool    // the trial ends with its training, and its record has no scores
	remeasured bool    // the trial has or had a record
	cutError   error   // why the trial has no parts: it fails
	keep       bool    // the model for a checkpoint
	set        func(*models.Setup)
}

// newJob cuts the dataset for the trial that rec describes. Seeds share its size.
func newJob(t specs.Trial, rec record.Record, lib library, tr trainer, sizes map[record.CellKey]int64) job {
	j := job{trial: t, record: rec, cutter: lib[t.Dataset], untested: tr.untested, keep: tr.checkpoints || t.KeepsModel && !tr.untested}
	if j.parts, j.cutError = j.cutter.Parts(t); j.cutError != nil {
		return j
	}
	j.record.Footnotes = slices.Concat(rec.Footnotes, featureNotes(j.parts, lib[t.Dataset].loaded.Dataset, len(t.Protocol.EvaluationBatch)), delayNotes(t))
	if j.untested {
		j.parts = WithoutTest(j.parts)
	}
	for _, pass := range passesOf(t, j.parts) {
		j.windows += pass.windows()
	}
	cell, known := rec.Key.CellKey, false
	if j.bytes, known = sizes[cell]; !known {
		j.bytes = trialBytes(t, j.parts, tr.device, j.keep)
		sizes[cell] = j.bytes
	}
	return j
}

// trainer measures trials on a device and writes their records.
type trainer struct {
	store       record.Store
	device      devices.Target
	memory      *memory
	checkpoints bool
	untested    bool // as that of a job
}

// freeAtOnce is the least memory of a trial, in bytes, that is freed when it ends.
const freeAtOnce = 64 << 20

// measure waits until the memory has room for a trial, measures it and writes
// its record. After every window it calls progress with the number of windows
// that are done, which starts anew when the trial does.
func (tr trainer) measure(ctx context.Context, j job, progress func(windows int)) (rec record.Record, err error) {
	err = tr.memory.use(j.bytes, func() error {
		if j.bytes >= freeAtOnce {
			defer debug.FreeOSMemory() // the next trial asks what is free
		}
		done := 0
		tick := func() { done++; progress(done) }
		var observed record.Observed
		var kept *models.Saved
		j.set = func(s *models.Setup) {
			s.Log = logPath(tr.store, j.record)
			s.Snapshots = cmp.Or(whyCheckpoint(j.keep), s.Snapshots)
		}
		if rec, observed, kept, err = measure(ctx, j, tr.device, tick); err != nil {
			return err
		}
		if kept != nil {
			err = writeCheckpoint(tr.store, rec, kept)
		}
		if err == nil {
			rec, err = tr.store.Write(rec, observed)
		}
		if err != nil {
			return &StoreError{fmt.Errorf("%s: %w", j.trial.Ref(), err)}
		}
		return nil
	})
	return rec, err
}

// measure runs one trial: it builds the model, trains it and, unless the trial
// ends there, evaluates it. A trial that fails by itself (data that cannot be
// cut for it, a score that is not finite, a metric without positives, a panic
// of the model) gives a record that says so; the error is for what stops
// everything: cancellation, a device that fails, or a model that writes to what
// trials share.
//
// The model, if the job keeps it, is that of a trial that succeeded: the tested
// parameters, and the state from which the test part was answered.
func measure(ctx context.Context, j job, on devices.Target, tick func()) (
	rec record.Record, observed record.Observed, kept *models.Saved, failure error,
) {
	defer kernels.CatchFailure(&failure)
	rec = j.record
	var r *run
	defer func() {
		if r != nil {
			r.blueprint.Close()
		}
	}()
	start := time.Now()
	err := j.cutError
	if err == nil {
		err = Guard(func() (err error) {
			if r, err = newRun(j.trial, j.parts, on, rec.Threads, tick, j.set); err != nil {
				return err
			}
			DescribeModel(&rec, r.model)
			r.keep = j.keep
			if j.untested {
				return r.train(ctx)
			}
			if err := r.do(ctx); err != nil || !j.keep {
				return err
			}
			r.kept.Numerics = Numerics
			r.kept.Input, err = j.cutter.input(j.parts, r.facts[0].facts)
			return err
		})
	}
	if ctx.Err() != nil {
		return rec, nil, nil, ctx.Err()
	}
	if changed := j.parts.Changed(); changed != "" {
		return rec, nil, nil, fmt.Errorf("%s: the %s of events have changed: this model, or one that ran beside it, wrote to its batches, which all trials share; nothing of this trial is kept",
			j.trial.Ref(), changed)
	}
	rec.Durations.Total = time.Since(start).Seconds()
	if err != nil {
		rec.Error = fmt.Sprintf("%s: %v", j.trial.Ref(), err)
		return rec, nil, nil, nil
	}
	if c, ok := r.model.(models.Chooser); ok {
		rec.Chosen = c.Chosen()
		rec.Footnotes = append(slices.Clip(rec.Footnotes), "chosen by the validation: "+rec.Chosen)
	}
	rec.Epochs, rec.BestEpoch, rec.Durations.Train = r.epochs, r.best, r.trainSeconds
	observed = record.Observed{}
	if !j.untested {
		rec.Durations.Test = rec.Durations.Total - r.trainSeconds
		for _, f := range r.facts {
			observed[f.part] = f.facts
		}
	}
	return rec, observed, r.kept, nil
}
