package harness

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"

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

// Hooks report what is going on. Any may be nil; they are called one at a time.
type Hooks struct {
	// Start says how many trials are to be measured, and how many were
	// found measured.
	Start func(pending, found int)
	// Progress says how much of the pending work is done, 0 to 1.
	Progress func(share float64)
	// Remeasure reports the number of trials that have or had a record and are
	// measured again, and the reason.
	Remeasure func(trials int, why string)
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

// add counts a trial that has a record, which was measured now or before.
func (s *Summary) add(rec record.Record, now bool) {
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
// error. Cancelling ctx stops at the next batch; what was finished is kept, and
// the error is ctx.Err().
func (r *Runner) Run(ctx context.Context, trials []specs.Trial) (sum Summary, err error) {
	lib, err := loadAll(trials, r.DataDir)
	if err != nil {
		return Summary{}, err
	}
	reasons := []string{"they have a record and not all files that belong to it", "their records have disappeared since they were written"}
	measured := map[record.Key]bool{}
	for attempt := range len(reasons) + 1 {
		var jobs []job
		if jobs, sum, err = r.pending(trials, lib, measured); err == nil && attempt == 0 {
			err = CheckStore(r.Store, trials, trialsOf(jobs))
		}
		if err != nil || attempt > 0 && len(jobs) == 0 {
			return sum, err
		}
		if attempt == len(reasons) {
			sum.Left = len(jobs)
			first := r.Store.Path(jobs[0].record.Key, jobs[0].record.Identity)
			return sum, &StoreError{fmt.Errorf("%d records have disappeared since they were written, the first of them %s", len(jobs), first)}
		}
		remeasured := 0
		for _, j := range jobs {
			if j.remeasured || attempt > 0 {
				remeasured++
			}
		}
		if r.Hooks.Remeasure != nil && remeasured > 0 {
			r.Hooks.Remeasure(remeasured, reasons[attempt])
		}
		if sum, err = r.measureAll(ctx, jobs, sum, measured); err != nil || len(jobs) == 0 {
			return sum, err
		}
	}
	return sum, err
}

func trialsOf(jobs []job) (trials []specs.Trial) {
	for _, j := range jobs {
		trials = append(trials, j.trial)
	}
	return trials
}

// pending returns jobs of the trials without a record, and counts the others,
// among them those that this run has measured.
func (r *Runner) pending(trials []specs.Trial, lib library, measured map[record.Key]bool) (jobs []job, sum Summary, err error) {
	sizes := map[record.CellKey]int64{}
	for _, t := range trials {
		rec := Describe(t, lib[t.Dataset].loaded, r.Device)
		found, ok, err := Find(r.Store, t, rec, r.Checkpoints)
		if err != nil {
			return nil, sum, err
		}
		if ok {
			sum.add(found, measured[found.Key])
			continue
		}
		j, err := newJob(t, rec, lib, r.trainer(), sizes)
		if err != nil {
			return nil, sum, err
		}
		j.remeasured = found.Identity != ""
		jobs = append(jobs, j)
	}
	return jobs, sum, nil
}

func (r *Runner) trainer() trainer {
	return trainer{store: r.Store, device: r.Device, checkpoints: r.Checkpoints}
}

// pool is the workers of a run.
type pool struct {
	trainer
	watch  *watch
	claims claims

	mu    sync.Mutex
	taken []job // by another run
}

// measureAll measures the jobs side by side: first those that no other run
// works on, then those that other runs have left. It adds the keys of what it
// measures to measured.
func (r *Runner) measureAll(ctx context.Context, jobs []job, sum Summary, measured map[record.Key]bool) (Summary, error) {
	c := &pool{trainer: r.trainer(), claims: claims{root: r.Store.Dir}}
	c.memory = newMemory(r.Device)
	if err := c.memory.check(jobs...); err != nil {
		return sum, err
	}
	workers := max(1, min(Workers(r.Workers, r.Device), len(jobs)))
	for i := range jobs {
		jobs[i].record.Threads = max(1, runtime.NumCPU()/workers)
	}
	c.watch = newWatch(r.Hooks, jobs, sum, measured)
	err := c.pass(ctx, jobs, workers, func(_ context.Context, cell string) (bool, error) { return c.claims.acquire(cell) })
	if len(c.taken) > 0 && err == nil {
		if r.Hooks.Wait != nil {
			r.Hooks.Wait(len(c.taken))
		}
		err = c.pass(ctx, c.taken, workers, c.claims.wait)
	}
	return c.watch.sum, err
}

// claimFunc claims a cell for this run. It reports false if another one has it.
type claimFunc func(ctx context.Context, cell string) (bool, error)

// pass runs every job on one of the workers. The first error that is not a trial's own
// stops all of them.
func (c *pool) pass(ctx context.Context, jobs []job, workers int, claim claimFunc) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	queue := make(chan job)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for j := range queue {
				if err := c.attempt(ctx, j, claim); err != nil {
					cancel(err)
				}
			}
		})
	}
	for _, j := range jobs {
		select {
		case queue <- j:
		case <-ctx.Done():
		}
	}
	close(queue)
	wg.Wait()
	return context.Cause(ctx)
}

// attempt measures a trial, unless another run is about to or has done it.
func (c *pool) attempt(ctx context.Context, j job, claim claimFunc) error {
	cell := filepath.FromSlash(j.record.Key.Folder())
	claimed, err := claim(ctx, cell)
	if err != nil {
		return err
	}
	if !claimed {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.taken = append(c.taken, j)
		return nil
	}
	defer c.claims.release(cell)
	found, ok, err := Find(c.store, j.trial, j.record, c.checkpoints)
	if err != nil {
		return err
	}
	p := c.watch.begin(j)
	if ok {
		p.end(found, false)
		return nil
	}
	rec, err := c.measure(ctx, j, p.restart, p.tick)
	if err == nil {
		p.end(rec, true)
	}
	return err
}

// watch calls the hooks for what workers do, one call at a time.
type watch struct {
	mu       sync.Mutex
	hooks    Hooks
	total    int // windows of all jobs
	windows  int // of them done, or saved by early stopping
	sum      Summary
	measured map[record.Key]bool // of the trials of sum that were measured now
}

// newWatch continues the counts of sum.
func newWatch(h Hooks, jobs []job, sum Summary, measured map[record.Key]bool) *watch {
	w := &watch{hooks: h, sum: sum, measured: measured}
	w.sum.Left = len(jobs)
	for _, j := range jobs {
		w.total += j.windows
	}
	if h.Start != nil {
		h.Start(len(jobs), sum.Found)
	}
	return w
}

// progress counts the windows of one trial.
type progress struct {
	*watch
	all, done int
}

func (w *watch) begin(j job) *progress { return &progress{watch: w, all: j.windows} }

// tick counts one more window.
func (p *progress) tick() { p.set(p.done + 1) }

// restart takes back the windows of an earlier beginning of the trial.
func (p *progress) restart() {
	if p.done > 0 {
		p.set(0)
	}
}

func (p *progress) set(done int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.windows += done - p.done
	p.done = done
	if p.hooks.Progress != nil && p.total > 0 {
		p.hooks.Progress(float64(p.windows) / float64(p.total))
	}
}

// end counts the trial, which has a record of this run or of another one, and
// the windows that early stopping has saved.
func (p *progress) end(rec record.Record, now bool) {
	p.set(p.all)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sum.Left--
	p.sum.add(rec, now)
	if now {
		p.measured[rec.Key] = true
		if p.hooks.Done != nil {
			p.hooks.Done(rec)
		}
	}
}

// Interrupted reports whether a run ended because its context did.
func Interrupted(err error) bool { return errors.Is(err, context.Canceled) }

// Lab trains models on trials that come up one by one: a search chooses the
// next one by the results of others. Datasets are read once. Its methods
// are safe for concurrent use.
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

// DeviceName returns the class of the kernels that models are trained on.
func (l *Lab) DeviceName() string { return l.device.Name() }

// Validate trains on a trial, with the validation after every epoch that
// selects the best one, and stops there: the record has epochs and no scores.
// The stream that it works on ends with the validation part, so that no test
// event reaches the model or its candidates. If there is a record already, it
// is returned. A trial that fails by itself has a record that says so; progress,
// from 0 to 1, is called after every window.
func (l *Lab) Validate(ctx context.Context, t specs.Trial, progress func(share float64)) (record.Record, error) {
	rec := Describe(t, l.lib[t.Dataset].loaded, l.device)
	found, ok, err := l.store.Find(rec.Key, rec.Identity)
	if err != nil || ok {
		return found, err
	}
	rec.Threads = l.threads
	j, err := newJob(t, rec, l.lib, l.trainer, map[record.CellKey]int64{})
	if err == nil {
		err = l.memory.check(j)
	}
	if err != nil {
		return rec, err
	}
	done := 0
	return l.measure(ctx, j, func() { done = 0 }, func() {
		done++
		progress(float64(done) / float64(j.windows))
	})
}
