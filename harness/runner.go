package harness

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"

	"dgsbench/datasets"
	"dgsbench/internal/atomicfile"
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
	// Checkpoints keeps the model of every trial measured now: a safetensors
	// file beside its record, with parameters, state and spec.
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
}

// Run measures the trials whose records are not there yet, in their order. A
// suite's has the seeds of a cell one after another, so that those are what is
// trained side by side: as long and as large as each other.
// The summary is right even with an error. Cancelling ctx stops at the next
// batch; what was finished is kept, and the error is ctx.Err().
func (r *Runner) Run(ctx context.Context, trials []specs.Trial) (Summary, error) {
	lib, err := loadAll(trials, r.DataDir)
	if err != nil {
		return Summary{}, err
	}
	if err := atomicfile.Clean(r.Store.Dir); err != nil {
		return Summary{}, &StoreError{err}
	}
	jobs, sum, err := r.pending(trials, lib)
	if err != nil {
		return sum, err
	}
	memory := newMemory(r.Device)
	if err := memory.refuse(jobs); err != nil {
		return sum, err
	}
	workers := max(1, min(Workers(r.Workers, r.Device), len(jobs)))
	for i := range jobs {
		jobs[i].record.Threads = max(1, runtime.NumCPU()/workers)
	}
	return r.runAll(ctx, jobs, workers, memory, sum)
}

// pending makes jobs of the trials without a record, and counts the others.
func (r *Runner) pending(trials []specs.Trial, lib *library) (jobs []job, sum Summary, err error) {
	sizes := map[record.CellKey]int64{} // of training: the seeds of a cell share it
	for _, t := range trials {
		rec := Describe(t, lib.loaded[t.Dataset], r.Device)
		found, ok, err := Find(r.Store, t, rec)
		if err != nil {
			return nil, sum, err
		}
		if ok {
			sum.add(found)
			continue
		}
		j, err := newJob(t, rec, lib, sizes)
		if err != nil {
			return nil, sum, err
		}
		jobs = append(jobs, j)
	}
	return jobs, sum, nil
}

// Find looks for the record of a trial that Describe describes. It is an error
// if the file of that name is of something else.
func Find(s record.Store, t specs.Trial, rec record.Record) (found record.Record, ok bool, err error) {
	found, ok, err = s.Find(rec.Key, rec.Identity)
	if ok && !(sameSpec(found, t) && found.DataChecksum == rec.DataChecksum && found.Numerics == rec.Numerics) {
		err = fmt.Errorf("the record of %s is not what its name says; remove %s",
			rec.Key, filepath.Join(s.Dir, rec.Key.Path(rec.Identity)))
	}
	return found, ok, err
}

// add counts a trial that was found measured. One that failed would fail
// again: the seed is the same.
func (s *Summary) add(found record.Record) {
	if !found.Failed() {
		s.Found++
		return
	}
	s.Failed++
	s.FailedBefore = append(s.FailedBefore, found)
}

func newJob(t specs.Trial, rec record.Record, lib *library, sizes map[record.CellKey]int64) (job, error) {
	kind, err := kindOf(t)
	if err != nil {
		return job{}, err
	}
	parts, err := lib.of(t)
	if err != nil {
		return job{}, fmt.Errorf("%s on %s: %w", t.Ref(), t.Dataset, err)
	}
	if parts.Substituted {
		rec.Footnotes = append(slices.Clone(rec.Footnotes), substituteNote(lib.loaded[t.Dataset].Dataset))
	}
	j := job{trial: t, record: rec, parts: parts, batches: numBatches(t, parts)}
	if kind.Bytes == nil {
		return j, nil
	}
	cell, known := rec.Key.CellKey, false
	if j.bytes, known = sizes[cell]; !known {
		j.bytes = kind.Bytes(setupOf(t, parts, 1), t.Options)
		sizes[cell] = j.bytes
	}
	return j, nil
}

// StoreError says that results could not be written: the run is over, but
// nothing was wrong with what was asked for.
type StoreError struct{ Err error }

func (e *StoreError) Error() string {
	return fmt.Sprintf("write results: %v; what was measured before is kept: the same command goes on from there once this is put right", e.Err)
}

// Unwrap gives the cause.
func (e *StoreError) Unwrap() error { return e.Err }

// Interrupted reports whether a run ended because its context did.
func Interrupted(err error) bool { return errors.Is(err, context.Canceled) }
