package harness

import (
	"context"
	"fmt"
	"time"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/kernels/devices"
	"dgsbench/models"
	"dgsbench/results/record"
	"dgsbench/specs"
)

// Numerics is raised by hand whenever results may change: records of an
// older version are stale.
const Numerics = 4

// KeyOf is where a trial's record lies.
func KeyOf(t specs.Trial) record.Key {
	return record.Key{
		CellKey: record.CellKey{
			Suite: t.Suite, Dataset: t.Dataset, Task: t.Task, Setting: t.Setting, Case: t.Case,
			Model: t.ModelID, Variant: t.Variant,
		},
		Seed: t.Seed,
	}
}

// Describe fills in what is known of a trial before it is run.
func Describe(t specs.Trial, l *datasets.Loaded, on devices.Target) record.Record {
	return record.Record{
		Key: KeyOf(t), Identity: t.Identity(l.SHA256, Numerics, on.Name()), Numerics: Numerics,
		Spec: t.JSON(), Origins: t.OriginsJSON(), DataChecksum: l.SHA256, CodeVersion: CodeVersion(), Machine: Machine(on), Device: on.Name(),
		ModelClass: t.Class, ModelTitle: t.Title,
		DatasetTitle: l.Dataset.Title, PaperName: l.Dataset.PaperName,
		Footnotes: l.Dataset.Notes, Data: dataOf(l), Evaluations: t.Evaluations(), BestEpoch: -1,
	}
}

// measure runs one trial. A trial that fails by itself (data that cannot be
// cut for it, a score that is not finite, a metric without positives, a panic
// of the model) gives a record that says so; the error is for what stops
// everything: cancellation, a device that fails, or a model that writes to what
// trials share.
//
// The model is that of a trial that succeeded, with the tested parameters and
// the state after the last test event.
func measure(ctx context.Context, j job, on devices.Target, tick func()) (record.Record, record.Observed, models.Model, error) {
	rec, r, err := j.attempt(ctx, j.parts, on, tick, (*run).do)
	if err != nil || rec.Failed() {
		return rec, nil, nil, err
	}
	rec.Epochs, rec.BestEpoch = r.epochs, r.best
	rec.Durations.Train, rec.Durations.Test = r.trainSeconds, rec.Durations.Total-r.trainSeconds
	observed := record.Observed{}
	for _, f := range r.facts {
		observed[f.part] = f.facts
	}
	return rec, observed, r.model, nil
}

// attempt builds the trial's model and does something with it on the parts. An
// error of that is in the record; the other one is as measure's.
func (j job) attempt(ctx context.Context, parts datasets.Parts, on devices.Target, tick func(), do func(*run, context.Context) error) (rec record.Record, r *run, failure error) {
	defer kernels.CatchFailure(&failure)
	rec = j.record
	start := time.Now()
	err := j.unusable
	if err == nil {
		err = Guard(func() (err error) {
			if r, err = newRun(j.trial, parts, on, rec.Threads, tick); err != nil {
				return err
			}
			DescribeModel(&rec, r.model)
			return do(r, ctx)
		})
	}
	if ctx.Err() != nil {
		return rec, r, ctx.Err()
	}
	if changed := parts.Changed(); changed != "" {
		return rec, r, fmt.Errorf("%s: the %s of events have changed: this model, or one that ran beside it, wrote to its batches, which all trials share; nothing of this trial is kept",
			j.trial.Ref(), changed)
	}
	rec.Durations.Total = time.Since(start).Seconds()
	if err != nil {
		rec.Error = fmt.Sprintf("%s: %v", j.trial.Ref(), err)
	}
	return rec, r, nil
}

// kindOf finds the registered kind of a trial.
func kindOf(t specs.Trial) (models.Kind, error) { return models.Lookup(t.Kind) }
