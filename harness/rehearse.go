package harness

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"time"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/kernels/devices"
	"dgsbench/results/record"
	"dgsbench/specs"
)

// Load is what a trial takes of a machine.
type Load struct {
	Seconds float64
	Bytes   int64 // of memory: the card's if it is on one
	Host    int64 // of the host's, beside the card's
}

// Rehearsal is a trial that is tried out on some windows, so that what it
// will take is known before it begins.
type Rehearsal struct {
	Trial  specs.Trial
	Parts  datasets.Parts
	Device devices.Target
	// Checkpoint: the model is kept beside the record.
	Checkpoint bool

	// Load is what the whole trial takes, if training is never stopped early:
	// as memory what a Runner counts for it, on a card what was taken in what
	// was tried out if that is more.
	Load
	// Err is why it cannot be tried out: the trial is likely to fail.
	Err error
}

// RehearseTraining is the rehearsal of a trial that ends with its training:
// what Lab.Validate does with it.
func RehearseTraining(t specs.Trial, parts datasets.Parts, on devices.Target) *Rehearsal {
	return &Rehearsal{Trial: t, Parts: withoutTest(parts), Device: on}
}

// fewestWindows are tried out of everything that a trial does, or
// fewestSlowWindows where they take longer than longEnough.
const (
	fewestWindows     = 12
	fewestSlowWindows = 3
	longEnough        = 500 * time.Millisecond
)

// Rehearse tries out the trials, so many at a time as will later be measured
// side by side, each for about the given time; done is called after each.
// Cancelling ctx ends it after a window, and the error is ctx's.
// Models that declare more memory than limit are left alone, and no more are
// tried out at once than declare that.
func Rehearse(ctx context.Context, list []*Rehearsal, workers int, each time.Duration, limit int64, done func(*Rehearsal)) error {
	queue := make(chan *Rehearsal)
	var building, reporting sync.Mutex
	room := newRoom("", limit)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for r := range queue {
				r.Err = Guard(func() error {
					return r.rehearse(ctx, &building, max(1, runtime.NumCPU()/workers), each, room, limit)
				})
				reporting.Lock()
				done(r)
				reporting.Unlock()
			}
		})
	}
	for _, r := range list {
		queue <- r
	}
	close(queue)
	wg.Wait()
	return ctx.Err()
}

func (r *Rehearsal) rehearse(ctx context.Context, building *sync.Mutex, threads int, each time.Duration, room *memory, limit int64) (err error) {
	defer kernels.CatchFailure(&err)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	kind, err := kindOf(r.Trial)
	if err != nil {
		return err
	}
	if r.Bytes = needed(r.Device, kind, r.Trial, r.Parts, r.Checkpoint); r.Bytes > limit {
		return nil
	}
	declared := r.Bytes
	room.take(declared)
	defer room.give(declared)
	run, seconds, err := r.build(building, threads)
	if err != nil {
		return err
	}
	p, err := run.rehearse(ctx, each)
	r.Seconds = seconds + p.scaled(r.Trial, r.Parts)
	r.Bytes = max(r.Bytes, run.devices.PeakMemory())
	return err
}

// build makes the model. One is made at a time, so that what is allocated
// meanwhile is mostly its own.
func (r *Rehearsal) build(one *sync.Mutex, threads int) (*run, float64, error) {
	one.Lock()
	defer one.Unlock()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	run, err := newRun(r.Trial, r.Parts, r.Device, threads, func() {})
	seconds := time.Since(start).Seconds()
	runtime.ReadMemStats(&after)
	if r.Device.SeparateMemory() {
		r.Host = int64(after.TotalAlloc - before.TotalAlloc)
	}
	return run, seconds, err
}

// pace is the time that a window takes, in seconds, by what is done with it.
type pace struct{ train, observe, validate, test float64 }

// rehearse does a little of all that the trial does, in its order.
func (r *run) rehearse(ctx context.Context, budget time.Duration) (p pace, err error) {
	each := budget / 4
	if epochsOf(r.spec) > 0 {
		if p.train, err = r.timed(ctx, r.parts.Train, each, func(w datasets.Stream) error {
			_, _, err := r.trainWindow(w)
			return err
		}); err != nil {
			return p, err
		}
	}
	if passesOf(r.spec, r.parts).observe > 0 {
		if p.observe, err = r.timed(ctx, r.parts.Train, each, func(w datasets.Stream) error { return r.eval.observe(ctx, w) }); err != nil {
			return p, err
		}
	}
	if p.validate, err = r.timed(ctx, r.parts.Val, each, func(w datasets.Stream) error { return r.evaluate(ctx, record.Part{}, w, r.samples) }); err != nil {
		return p, err
	}
	p.test, err = r.timed(ctx, r.parts.Test, each, func(w datasets.Stream) error { return r.evaluate(ctx, record.Part{}, w, r.sets) })
	return p, err
}

// timed does something with the windows of a part until the time is over, and
// says how long one takes on an idle machine. Cancelling ctx ends it after a
// window.
func (r *run) timed(ctx context.Context, part datasets.Stream, budget time.Duration, do func(datasets.Stream) error) (float64, error) {
	var took []float64
	start := time.Now()
	for w := range windows(part, r.eval.size) {
		if EnoughTimes(len(took), time.Since(start), budget) {
			break
		}
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		began := time.Now()
		if err := do(w); err != nil {
			return 0, err
		}
		took = append(took, time.Since(began).Seconds())
	}
	return Undisturbed(took), nil
}

// EnoughTimes reports whether so many times, taken within some time, say how
// long one of them takes.
func EnoughTimes(n int, within, budget time.Duration) bool {
	return n >= fewestWindows && within > budget || n >= fewestSlowWindows && within > max(budget, longEnough)
}

// Undisturbed is what one of some times would be if nothing else ran on the
// machine: their lower quartile, because others only ever make it longer. The
// first ones, which meet cold caches and new nodes, do not count. It is 0
// without any.
func Undisturbed(took []float64) float64 {
	if len(took) == 0 {
		return 0
	}
	warm := slices.Sorted(slices.Values(took[len(took)/4:]))
	return warm[len(warm)/4]
}

// scaled is the time of the whole trial but for building the model. Where
// there is no test part, nothing comes after training.
func (p pace) scaled(t specs.Trial, parts datasets.Parts) float64 {
	n := func(part datasets.Stream) float64 { return float64(numWindows(part, t.Protocol.Batch)) }
	do := passesOf(t, parts)
	return n(parts.Train)*(float64(do.train)*p.train+float64(do.observe)*p.observe) +
		n(parts.Val)*float64(do.validate)*p.validate + n(parts.Test)*float64(do.test)*p.test
}
