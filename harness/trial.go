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
const Numerics = 3

// KeyOf is where a trial's record lies.
func KeyOf(t specs.Trial) record.Key {
	return record.Key{
		CellKey: record.CellKey{
			Suite: t.Suite, Dataset: t.Dataset, Task: string(t.Task), Setting: string(t.Setting), Case: t.Case,
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
		ModelClass: record.Class(t.Class), ModelTitle: t.Title,
		DatasetTitle: l.Dataset.Title, PaperName: l.Dataset.PaperName,
		Footnotes: l.Dataset.Notes, Data: dataOf(l), BestEpoch: -1,
	}
}

// measure runs one trial. A trial that fails by itself (a score that is not
// finite, a metric without positives) gives a record that says so; the error
// is for what stops everything: cancellation, or a device that fails.
//
// The model is that of a trial that succeeded, with the tested parameters and
// the state after the last test event.
func measure(ctx context.Context, rec record.Record, t specs.Trial, parts datasets.Parts, on devices.Target, tick func()) (_ record.Record, _ record.Observed, _ models.Model, failure error) {
	defer kernels.CatchFailure(&failure)
	start := time.Now()
	r, err := newRun(t, parts, on, rec.Threads, tick)
	if err == nil {
		DescribeModel(&rec, r.model)
		err = r.do(ctx)
	}
	if ctx.Err() != nil {
		return rec, nil, nil, ctx.Err()
	}
	rec.Durations.Total = time.Since(start).Seconds()
	if err != nil {
		rec.Error = fmt.Sprintf("%s: %v", t.Ref(), err)
		return rec, nil, nil, nil
	}
	rec.Epochs, rec.BestEpoch = r.epochs, r.best
	rec.Durations.Train, rec.Durations.Test = r.trainSeconds, rec.Durations.Total-r.trainSeconds
	observed := record.Observed{}
	for _, f := range r.facts {
		observed[f.part] = f.facts
	}
	return rec, observed, r.model, nil
}

// kindOf finds the registered kind of a trial.
func kindOf(t specs.Trial) (models.Kind, error) { return models.Lookup(t.Kind) }
