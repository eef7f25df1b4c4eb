package harness

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"dgsbench/datasets"
	"dgsbench/kernels/devices"
	"dgsbench/results/record"
	"dgsbench/specs"
)

// Runner measures trials side by side and keeps their records.
type Runner struct {
	Store   record.Store
	DataDir string
	Workers int // trials side by side; 0 leaves it to Workers
	Device  devices.Target
	// Checkpoints keeps the model of every trial: a safetensors file beside its
	// record, with parameters, state and spec. A trial that has a record and no
	// such file is measured again.
	Checkpoints bool
	Hooks       Hooks
}

// Hooks tell whoever watches what is going on. Any may be nil; they are
// called one at a time.
type Hooks struct {
	// Start says how many trials are to be measured, and how many were
	// found measured.
	Start func(pending, found int)
	// Progress says how much of the pending work is done, 0 to 1.
	Progress func(share float64)
	// Again reports the number of trials that have or had a record and are
	// measured again, and the reason.
	Again func(trials int, why string)
	// Done reports one finished or failed trial.
	Done func(record.Record)
	// Wait says that all that is left is being measured by another run in
	// the same folder.
	Wait func(left int)
}

// Summary counts trials: found measured, measured now, failed now or
// before, and left because the run ended early.
type Summary struct {
	Found, Finished, Failed, Left int
	// FailedBefore are the records of trials that an earlier run saw fail.
	// They are not run again: the seed is the same.
	FailedBefore []record.Record
}

// job is one trial to be measured.
type job struct {
	trial   specs.Trial
	record  record.Record
	parts   datasets.Parts
	batches int
	bytes   int64 // of memory that training takes
	again   bool  // the trial has or had a record
	// unusable is why the trial can have no parts: it fails.
	unusable error
}

// Run measures the trials whose records are not there yet, in their order. A
// suite's has the seeds of a cell one after another, so that those are what is
// trained side by side: as long and as large as each other. At the end all
// records are read back; trials whose record is gone are measured once more.
// The summary is right even with an error. Cancelling ctx stops at the next
// batch; what was finished is kept, and the error is ctx.Err().
func (r *Runner) Run(ctx context.Context, trials []specs.Trial) (Summary, error) {
	lib, err := loadAll(trials, r.DataDir)
	if err != nil {
		return Summary{}, err
	}
	measured := map[record.Key]bool{}
	jobs, sum, err := r.pending(trials, lib, measured)
	if err == nil {
		err = CheckStore(r.Store, trials, trialsOf(jobs))
	}
	if err != nil {
		return sum, err
	}
	r.again(jobs, "they have a record and not all files that belong to it")
	for again := false; ; again = true {
		sum, err = r.measureAll(ctx, jobs, sum, measured)
		if err != nil || len(jobs) == 0 {
			return sum, err
		}
		if jobs, sum, err = r.pending(trials, lib, measured); err != nil || len(jobs) == 0 {
			return sum, err
		}
		for i := range jobs {
			jobs[i].again = true
		}
		if again {
			sum.Left = len(jobs)
			return sum, &StoreError{fmt.Errorf("%d records were written and are gone, the first of them %s", len(jobs), r.Store.Path(jobs[0].record.Key, jobs[0].record.Identity))}
		}
		r.again(jobs, "their records were there and are gone")
	}
}

func trialsOf(jobs []job) []specs.Trial {
	var out []specs.Trial
	for _, j := range jobs {
		out = append(out, j.trial)
	}
	return out
}

// again says how many of the jobs are not the first of their trials.
func (r *Runner) again(jobs []job, why string) {
	n := 0
	for _, j := range jobs {
		if j.again {
			n++
		}
	}
	if r.Hooks.Again != nil && n > 0 {
		r.Hooks.Again(n, why)
	}
}

// measureAll measures the jobs side by side and adds their keys to measured.
func (r *Runner) measureAll(ctx context.Context, jobs []job, sum Summary, measured map[record.Key]bool) (Summary, error) {
	memory := newMemory(r.Device)
	if err := memory.refuse(jobs); err != nil {
		return sum, err
	}
	workers := max(1, min(Workers(r.Workers, r.Device), len(jobs)))
	for i := range jobs {
		jobs[i].record.Threads = max(1, runtime.NumCPU()/workers)
	}
	return r.runAll(ctx, jobs, workers, memory, sum, measured)
}

// pending makes jobs of the trials without a record, and counts the others,
// among them those that this run has measured.
func (r *Runner) pending(trials []specs.Trial, lib *library, measured map[record.Key]bool) (jobs []job, sum Summary, err error) {
	sizes := map[record.CellKey]int64{} // of training: the seeds of a cell share it
	for _, t := range trials {
		rec := Describe(t, lib.loaded[t.Dataset], r.Device)
		found, ok, err := Find(r.Store, t, rec, r.Checkpoints)
		if err != nil {
			return nil, sum, err
		}
		if ok {
			sum.add(found, measured[found.Key])
			continue
		}
		j, err := newJob(t, rec, lib, r.Device, r.Checkpoints, sizes)
		if err != nil {
			return nil, sum, err
		}
		j.again = found.Identity != ""
		jobs = append(jobs, j)
	}
	return jobs, sum, nil
}

// add counts a trial that has a record. One that failed before would fail
// again: the seed is the same.
func (s *Summary) add(found record.Record, now bool) {
	switch {
	case found.Failed():
		s.Failed++
		if !now {
			s.FailedBefore = append(s.FailedBefore, found)
		}
	case now:
		s.Finished++
	default:
		s.Found++
	}
}

func newJob(t specs.Trial, rec record.Record, lib *library, on devices.Target, checkpoint bool, sizes map[record.CellKey]int64) (job, error) {
	kind, err := kindOf(t)
	if err != nil {
		return job{}, err
	}
	parts, err := lib.of(t)
	if err != nil {
		return job{trial: t, record: rec, unusable: err}, nil
	}
	if parts.Substituted {
		rec.Footnotes = append(slices.Clone(rec.Footnotes), substituteNote(lib.loaded[t.Dataset].Dataset))
	}
	if parts.Batch > 0 {
		rec.Footnotes = append(slices.Clone(rec.Footnotes), "features that depend on earlier events know of none of their own batch")
	}
	j := job{trial: t, record: rec, parts: parts, batches: numBatches(t, parts)}
	cell, known := rec.Key.CellKey, false
	if j.bytes, known = sizes[cell]; !known {
		j.bytes = needed(on, kind, t, parts, checkpoint)
		sizes[cell] = j.bytes
	}
	return j, nil
}

// Interrupted reports whether a run ended because its context did.
func Interrupted(err error) bool { return errors.Is(err, context.Canceled) }
