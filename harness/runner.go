package harness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"

	"dgsbench/internal/lock"
	"dgsbench/kernels/devices"
	"dgsbench/results/record"
	"dgsbench/specs"

	"golang.org/x/sync/errgroup"
)

// Runner measures trials side by side and keeps their records.
type Runner struct {
	Store   record.Store
	DataDir string
	Workers int // trials side by side; 0 is the device's default
	Device  devices.Target
	// Checkpoints keeps every model, with its state and spec, in a safetensors file
	// beside its record. A trial with a record and no such file is measured again.
	Checkpoints bool
	Hooks       Hooks
}

// Hooks report what is going on. Any may be nil; they are called one at a time.
type Hooks struct {
	Start     func(pending, found int)     // the numbers of trials
	Progress  func(share float64)          // of the pending work that is done, 0 to 1
	Remeasure func(trials int, why string) // trials that have or had a record are measured again
	Done      func(record.Record)          // a trial that has finished or failed
	Wait      func(left int)               // all that is left is claimed by another run in the folder
}

// Summary counts trials: found measured, measured now, failed now or
// before, and left because the run ended early.
type Summary struct {
	Found, Finished, Failed, Left int
	FailedBefore                  []record.Record // not run again: the seed is the same
}

// Add counts a trial that has a record, which was measured now or before.
func (s *Summary) Add(rec record.Record, now bool) {
	switch {
	case rec.Failed():
		s.Failed++
		if !now {
			s.FailedBefore = append(s.FailedBefore, rec)
		}
	case now:
		s.Finished++
	default:
		s.Found++
	}
}

// Run measures the trials whose records are not there yet, in their order. A
// suite has the seeds of a cell one after another, so concurrent trials take about
// the same time and memory. At the end all records are read back; trials whose
// record is missing are measured once more. The summary is right even with an
// error. Cancelling ctx stops at the next batch with ctx.Err().
func (r *Runner) Run(ctx context.Context, trials []specs.Trial) (Summary, error) {
	lib, err := loadAll(trials, r.DataDir)
	if err != nil {
		return Summary{}, err
	}
	p := &pool{
		trainer: trainer{store: r.Store, device: r.Device, checkpoints: r.Checkpoints},
		hooks:   r.Hooks, measured: map[record.Key]bool{},
	}
	err = p.run(ctx, trials, lib, cmp.Or(r.Workers, r.Device.Workers()))
	return p.sum, err
}

// pool is a run in progress. The methods of its workers are safe for concurrent
// use, and call the hooks one at a time.
type pool struct {
	trainer

	mu       sync.Mutex
	hooks    Hooks
	sum      Summary
	measured map[record.Key]bool // by this run
	taken    []job               // by another run
	total    int                 // windows of all jobs
	windows  int                 // of them done, or saved by early stopping
}

// run measures the trials without a record, reads all records back, and does so once more.
func (p *pool) run(ctx context.Context, trials []specs.Trial, lib library, workers int) error {
	for attempt, why := range []string{
		"they have a record and not all files that belong to it", "their records have disappeared since they were written",
	} {
		jobs, err := p.pending(trials, lib)
		if err != nil || attempt > 0 && len(jobs) == 0 {
			return err
		}
		var pending []specs.Trial
		remeasured := 0
		for _, j := range jobs {
			pending = append(pending, j.trial)
			if j.remeasured || attempt > 0 {
				remeasured++
			}
		}
		if attempt == 0 {
			err = CheckStore(p.store, trials, pending)
		}
		if err != nil {
			return err
		}
		if p.hooks.Remeasure != nil && remeasured > 0 {
			p.hooks.Remeasure(remeasured, why)
		}
		if err := p.measureAll(ctx, jobs, workers); err != nil || len(jobs) == 0 {
			return err
		}
	}
	jobs, err := p.pending(trials, lib)
	if p.sum.Left = len(jobs); err != nil || len(jobs) == 0 {
		return err
	}
	first := p.store.Path(jobs[0].record.Key, jobs[0].record.Identity)
	return &StoreError{fmt.Errorf("%d records have disappeared since they were written, the first of them %s", len(jobs), first)}
}

// pending returns jobs of the trials without a record, and counts the others.
func (p *pool) pending(trials []specs.Trial, lib library) (jobs []job, err error) {
	p.sum = Summary{}
	sizes := map[record.CellKey]int64{}
	for _, t := range trials {
		rec := Describe(t, lib[t.Dataset].loaded, p.device)
		found, ok, err := Find(p.store, t, rec, p.checkpoints)
		if err != nil {
			return nil, err
		}
		if ok {
			p.sum.Add(found, p.measured[found.Key])
			continue
		}
		j := newJob(t, rec, lib, p.trainer, sizes)
		j.remeasured = found.Identity != ""
		jobs = append(jobs, j)
	}
	return jobs, nil
}

// measureAll measures the jobs side by side: first those that no other run
// works on, then those that other runs have left.
func (p *pool) measureAll(ctx context.Context, jobs []job, workers int) error {
	p.memory = newMemory(p.device)
	if err := p.memory.check(jobs...); err != nil {
		return err
	}
	workers = max(1, min(workers, len(jobs)))
	for i := range jobs {
		jobs[i].record.Threads = max(1, runtime.GOMAXPROCS(0)/workers)
	}
	p.start(jobs)
	err := p.pass(ctx, jobs, workers, false)
	if len(p.taken) > 0 && err == nil {
		if p.hooks.Wait != nil {
			p.hooks.Wait(len(p.taken))
		}
		err = p.pass(ctx, p.taken, workers, true)
	}
	return err
}

// pass runs the jobs. The first error that is not a trial's own stops all workers.
func (p *pool) pass(ctx context.Context, jobs []job, workers int, wait bool) error {
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	for _, j := range jobs {
		if inner.Err() != nil {
			break
		}
		group.Go(func() error { return p.attempt(inner, j, wait) })
	}
	if err := group.Wait(); err != nil {
		return context.Cause(inner)
	}
	return context.Cause(ctx)
}

// attempt measures a trial, unless another run in the folder has done it. If another
// one has claimed it, attempt waits for that, or leaves the trial for later.
func (p *pool) attempt(ctx context.Context, j job, wait bool) error {
	file := lock.In(p.store.Dir, filepath.Join("trials", filepath.FromSlash(j.record.Key.Path(j.record.Identity))))
	claim, err := lock.Try(file)
	if wait && errors.Is(err, lock.ErrHeld) {
		claim, err = lock.Wait(ctx, file, nil)
	}
	if errors.Is(err, lock.ErrHeld) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.taken = append(p.taken, j)
		return nil
	} else if err != nil {
		return &StoreError{err}
	}
	defer claim.Release()
	found, ok, err := Find(p.store, j.trial, j.record, p.checkpoints)
	if err != nil {
		return err
	}
	progress := p.progress()
	if !ok {
		if found, err = p.measure(ctx, j, progress); err != nil {
			return err
		}
	}
	progress(j.windows) // also those that early stopping has saved
	p.end(found, !ok)
	return nil
}

// start begins to count the jobs and their windows.
func (p *pool) start(jobs []job) {
	p.sum.Left, p.taken, p.total, p.windows = len(jobs), nil, 0, 0
	for _, j := range jobs {
		p.total += j.windows
	}
	if p.hooks.Start != nil {
		p.hooks.Start(len(jobs), p.sum.Found)
	}
}

// progress returns a function that takes how many windows of one trial are done.
func (p *pool) progress() func(windows int) {
	before := 0
	return func(windows int) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.windows += windows - before
		before = windows
		if p.hooks.Progress != nil && p.total > 0 {
			p.hooks.Progress(float64(p.windows) / float64(p.total))
		}
	}
}

// end counts a trial that has a record, of this run or of another one.
func (p *pool) end(rec record.Record, now bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sum.Left--
	p.sum.Add(rec, now)
	if now {
		p.measured[rec.Key] = true
		if p.hooks.Done != nil {
			p.hooks.Done(rec)
		}
	}
}

// Interrupted reports whether a run ended because its context did.
func Interrupted(err error) bool { return errors.Is(err, context.Canceled) }

// Lab trains models on trials that a search chooses one by one. Datasets are read
// once. Its methods are safe for concurrent use.
type Lab struct {
	trainer
	threads int // of a trial
	lib     library
}

// NewLab reads the datasets of the trials from dataDir. Records go to the
// store, and each trial may use that many threads of the device.
func NewLab(store record.Store, dataDir string, on devices.Target, threads int, trials []specs.Trial) (*Lab, error) {
	lib, err := loadAll(trials, dataDir)
	if err != nil {
		return nil, err
	}
	if err := CheckStore(store, trials, trials); err != nil {
		return nil, err
	}
	return &Lab{trainer{store: store, device: on, memory: newMemory(on), untested: true}, threads, lib}, nil
}

// DataSHA256 returns the checksum of a dataset of the lab.
func (l *Lab) DataSHA256(dataset string) string { return l.lib[dataset].loaded.SHA256 }

// Find describes a trial of Validate, and returns its record if there is one.
func (l *Lab) Find(t specs.Trial) (rec record.Record, found bool, err error) {
	rec = Describe(t, l.lib[t.Dataset].loaded, l.device)
	if r, ok, err := l.store.Find(rec.Key, rec.Identity); ok || err != nil {
		return r, ok, err
	}
	return rec, false, nil
}

// Validate trains on a trial, with the validation after every epoch that
// selects the best one, and stops there: the record has epochs and no scores.
// The stream that it works on ends with the validation part, so that no test
// event reaches the model or its candidates. If there is a record already, it
// is returned. A trial that fails by itself has a record that says so; progress,
// from 0 to 1, is called after every window.
func (l *Lab) Validate(ctx context.Context, t specs.Trial, progress func(share float64)) (record.Record, error) {
	rec, found, err := l.Find(t)
	if err != nil || found {
		return rec, err
	}
	rec.Threads = l.threads
	j := newJob(t, rec, l.lib, l.trainer, map[record.CellKey]int64{})
	if err := l.memory.check(j); err != nil {
		return rec, err
	}
	return l.measure(ctx, j, func(windows int) { progress(float64(windows) / float64(j.windows)) })
}
