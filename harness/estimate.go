package harness

import (
	"cmp"
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/kernels/devices"
	"dgsbench/protocol"
	"dgsbench/specs"

	"golang.org/x/sync/errgroup"
)

// Cost is what a trial takes of a machine.
type Cost struct {
	Seconds float64
	Bytes   int64 // of memory: the card's if it is on one
	Host    int64 // bytes of the host's memory, beside the card's
}

// Estimate says what a trial is going to take, from some of its windows.
type Estimate struct {
	Trial      specs.Trial
	Parts      datasets.Parts // without a test part, the trial ends with its training
	Device     devices.Target
	Checkpoint bool // the model is kept beside the record

	// Cost is that of the whole trial without early stopping. Its memory is what a
	// Runner counts, or on a card what the windows took if that is more.
	Cost
	Training float64 // of the Seconds, those of training steps; the others evaluate
	Least    float64 // seconds if training stops as early as it may
	Err      error   // why the windows failed, or that the memory is too small
}

// EstimateAll makes the estimates, as many at a time as will later be measured
// side by side, each in about the time budget, and calls done after each.
// Cancelling ctx ends it after a window with ctx's error. A model that declares
// more memory than limit is not built; models that do so together are not built at
// the same time.
func EstimateAll(ctx context.Context, list []*Estimate, workers int, budget time.Duration, limit int64, done func()) error {
	var building, reporting sync.Mutex
	memory, threads := newLimit("", limit), max(1, runtime.NumCPU()/workers)
	var group errgroup.Group
	group.SetLimit(workers)
	for _, e := range list {
		group.Go(func() error {
			e.Err = Guard(func() error { return e.measure(ctx, &building, threads, budget, memory) })
			if e.Err == nil && e.Bytes > limit {
				e.Err = errors.New("needs more memory than is free")
			}
			reporting.Lock()
			defer reporting.Unlock()
			done()
			return nil
		})
	}
	_ = group.Wait() // each estimate has its own error
	return ctx.Err()
}

func (e *Estimate) measure(ctx context.Context, building *sync.Mutex, threads int, budget time.Duration, memory *memory) (err error) {
	defer kernels.CatchFailure(&err)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	e.Bytes = trialBytes(e.Trial, e.Parts, e.Device, e.Checkpoint)
	if e.Bytes > memory.total {
		return nil
	}
	memory.acquire(e.Bytes)
	defer memory.release(e.Bytes)
	run, seconds, err := e.build(building, threads)
	if err != nil {
		return err
	}
	defer run.blueprint.Close()
	p, err := run.pace(ctx, budget)
	e.Seconds, e.Training = seconds+p.scaled(e.Trial, e.Parts), p.training(e.Trial, e.Parts)
	e.Least = seconds + p.scaled(stoppedEarly(e.Trial), e.Parts)
	e.Bytes = max(e.Bytes, run.blueprint.PeakMemory())
	return err
}

// stoppedEarly is the trial with as few epochs as it may have: the first one is the best.
func stoppedEarly(t specs.Trial) specs.Trial {
	if patience := t.Protocol.Patience; patience > 0 && t.Kind.Choices == nil {
		t.Protocol.Epochs = min(t.Protocol.Epochs, patience+1)
	}
	return t
}

// build builds the model and returns how long that took. One model is built at
// a time, so that what is allocated meanwhile is mostly its own.
func (e *Estimate) build(one *sync.Mutex, threads int) (*run, float64, error) {
	one.Lock()
	defer one.Unlock()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	run, err := newRun(e.Trial, e.Parts, e.Device, threads, func() {})
	seconds := time.Since(start).Seconds()
	runtime.ReadMemStats(&after)
	if e.Device.SeparateMemory() {
		e.Host = int64(after.TotalAlloc - before.TotalAlloc)
	}
	return run, seconds, err
}

// pace holds the seconds that a window takes in each of the trial's passes.
type pace []float64

// Of a trial that takes long, windows are timed after a warm-up that takes as much
// as this share of it, and mostWarmUp.
const (
	warmUpShare = 1. / 400
	mostWarmUp  = 10 * time.Second
)

// pace times some windows of all that the trial does, in its order: from the
// beginning of the parts and, if the trial takes long, once more with a state as it
// is in the middle of training.
func (r *run) pace(ctx context.Context, budget time.Duration) (pace, error) {
	p, err := r.paceFrom(ctx, r.teaching(0, math.MaxInt), budget)
	if err != nil {
		return p, err
	}
	share := time.Duration(warmUpShare * p.scaled(r.spec, r.parts) * float64(time.Second))
	if share < budget {
		return p, nil
	}
	first, n, err := r.warmUp(ctx, min(share, mostWarmUp))
	if err != nil {
		return p, err
	}
	return r.paceFrom(ctx, r.teaching(first, n), budget)
}

// teaching lists those of n training windows, from the first one on, that something is
// learned of: where labels are, in classification. Models do nothing but observe the
// others.
func (r *run) teaching(first, n int) (windows []int) {
	train, size := r.parts.Train, r.spec.Protocol.Batch
	n = min(n, numWindows(train, size)-first)
	for k := first; k < first+n; k++ {
		if r.spec.Task == protocol.LinkPrediction || slices.ContainsFunc(window(train, size, k).Label, isLabel) {
			windows = append(windows, k)
		}
	}
	if len(windows) == 0 {
		return []int{first}
	}
	return windows
}

// warmUp brings the model to the middle of the training part within about the
// time: one half of it goes into observing as much as possible of what comes
// before, the other half into training, which meets nodes without derivatives only
// once. It returns the first window that was trained on, and their number.
func (r *run) warmUp(ctx context.Context, within time.Duration) (first, n int, err error) {
	train, size := r.parts.Train, r.spec.Protocol.Batch
	first = numWindows(train, size) / 2
	observe := func(from, to int) (seconds float64, err error) {
		r.model.Reset()
		part := train.Slice(from*size, to*size)
		if r.told = 0; part.Len() > 0 {
			r.told = part.EventID(0)
		}
		start := time.Now()
		err = r.observe(ctx, part)
		return time.Since(start).Seconds(), err
	}
	few := min(first, fewestTimes)
	seconds, err := observe(first-few, first)
	if err != nil {
		return first, 0, err
	}
	many := min(first, int(float64(few)*within.Seconds()/2/max(seconds, 1e-9)))
	if _, err = observe(first-many, first); err != nil || epochsOf(r.spec, r.parts.Whole.NumFeat) == 0 {
		return first, math.MaxInt, err
	}
	start := time.Now()
	for n < fewestTimes || time.Since(start) < within/2 {
		if first+n == numWindows(train, size) || ctx.Err() != nil {
			break
		}
		if _, _, err := r.trainWindow(window(train, size, first+n)); err != nil {
			return first, n, err
		}
		n++
	}
	return first, max(n, 1), ctx.Err()
}

// paceFrom times windows of each pass: those that are listed of training, again and
// again, and others from the beginning of their part.
func (r *run) paceFrom(ctx context.Context, training []int, budget time.Duration) (p pace, err error) {
	all := passesOf(r.spec, r.parts)
	p = make(pace, len(all))
	for i, pass := range all {
		if pass.windows() == 0 {
			continue
		}
		evaluate := func(w datasets.Stream, sets []candidateSet) error {
			return r.evaluate(ctx, specs.Evaluation{Batch: pass.batch}, protocol.Test, w, sets)
		}
		r.told = pass.part.EventID(0) // what comes before it was not folded in
		next := func(k int) error {
			if pass.phase == trainPhase {
				k = training[k%len(training)]
			}
			w := window(pass.part, pass.batch, k)
			switch pass.phase {
			case trainPhase:
				_, _, err := r.trainWindow(w)
				return err
			case observePhase:
				return r.observe(ctx, w)
			case validatePhase:
				return evaluate(w, r.samples)
			}
			return evaluate(w, r.sets)
		}
		if p[i], err = TypicalTime(ctx, numWindows(pass.part, pass.batch), budget/time.Duration(len(all)), next); err != nil {
			return p, err
		}
	}
	return p, nil
}

// training is the part of scaled that is spent in training steps.
func (p pace) training(t specs.Trial, parts datasets.Parts) (seconds float64) {
	for i, pass := range passesOf(t, parts) {
		if pass.phase == trainPhase {
			seconds += float64(pass.windows()) * p[i]
		}
	}
	return seconds
}

// scaled returns the seconds of the whole trial without building the model.
func (p pace) scaled(t specs.Trial, parts datasets.Parts) (seconds float64) {
	for i, pass := range passesOf(t, parts) {
		seconds += float64(pass.windows()) * p[i]
	}
	return seconds
}

// A typical time is that of at least fewestTimes calls, or of fewestSlowTimes if
// they take longer than longEnough.
const (
	fewestTimes     = 12
	fewestSlowTimes = 3
	longEnough      = 500 * time.Millisecond
)

// TypicalTime returns the seconds of a call of do on an idle machine. It times do(0)
// to do(n-1), or fewer within the time budget. Cancelling ctx ends it after a call.
func TypicalTime(ctx context.Context, n int, budget time.Duration, do func(i int) error) (float64, error) {
	var took []float64
	start := time.Now()
	for i := 0; i < n && !enoughTimes(len(took), time.Since(start), budget); i++ {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		began := time.Now()
		if err := do(i); err != nil {
			return 0, err
		}
		took = append(took, time.Since(began).Seconds())
	}
	return undisturbed(took), nil
}

// enoughTimes reports whether n times, measured within some time, are enough.
func enoughTimes(n int, within, budget time.Duration) bool {
	return n >= fewestTimes && within > budget || n >= fewestSlowTimes && within > max(budget, longEnough)
}

// undisturbed returns the lower quartile of the times, 0 without any: other
// processes only make times longer. The first ones, which meet cold caches and new
// nodes, do not count.
func undisturbed(took []float64) float64 {
	if len(took) == 0 {
		return 0
	}
	warm := slices.Sorted(slices.Values(took[len(took)/4:]))
	return warm[len(warm)/4]
}

// SideBySide returns what trials take together that begin one after another,
// each as soon as a worker is free and there is room for it in the memory: the
// time to the end of the last one, and the most memory at once.
func SideBySide(costs []Cost, workers int, memory int64) (all Cost) {
	var running []Cost // by Seconds, which are when they end
	now, held := 0.0, Cost{}
	for _, c := range costs {
		for len(running) == workers || len(running) > 0 && held.Bytes+c.Bytes > memory {
			over := running[0]
			running = running[1:]
			now, held.Bytes, held.Host = over.Seconds, held.Bytes-over.Bytes, held.Host-over.Host
		}
		c.Seconds += now
		running = append(running, c)
		slices.SortStableFunc(running, func(a, b Cost) int { return cmp.Compare(a.Seconds, b.Seconds) })
		held.Bytes, held.Host = held.Bytes+c.Bytes, held.Host+c.Host
		all = Cost{max(all.Seconds, c.Seconds), max(all.Bytes, held.Bytes), max(all.Host, held.Host)}
	}
	return all
}
