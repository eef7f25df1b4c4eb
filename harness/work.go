package harness

import (
	"context"
	"path/filepath"
	"runtime/debug"
	"sync"

	"dgsbench/internal/atomicfile"
	"dgsbench/models"
	"dgsbench/results/record"
)

// crew works jobs off side by side.
type crew struct {
	*Runner
	workers int
	memory  *memory
	watch   *watch
	claims  claims
	cancel  context.CancelCauseFunc // with the first error that is not a trial's own

	mu    sync.Mutex
	taken []job // by another run
}

// runAll works the jobs off: first those that nobody else is at, then what
// other runs have left. The keys of what it measures are added to measured.
func (r *Runner) runAll(ctx context.Context, jobs []job, workers int, memory *memory, sum Summary, measured map[record.Key]bool) (Summary, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c := &crew{Runner: r, workers: workers, memory: memory, watch: newWatch(r.Hooks, jobs, sum, measured), claims: claims{root: r.Store.Dir}, cancel: cancel}
	c.pass(ctx, jobs, c.claims.take)
	if left := c.taken; len(left) > 0 && ctx.Err() == nil {
		if r.Hooks.Wait != nil {
			r.Hooks.Wait(len(left))
		}
		c.pass(ctx, left, func(cell string) (bool, error) { return c.claims.wait(ctx, cell) })
	}
	return c.watch.sum, context.Cause(ctx)
}

// pass gives every job to a worker.
func (c *crew) pass(ctx context.Context, jobs []job, claim func(cell string) (bool, error)) {
	queue := make(chan job)
	var wg sync.WaitGroup
	for range c.workers {
		wg.Go(func() {
			for j := range queue {
				if err := c.attempt(ctx, j, claim); err != nil {
					c.cancel(err)
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
}

// attempt measures a trial, unless another run is about to or has done it.
func (c *crew) attempt(ctx context.Context, j job, claim func(cell string) (bool, error)) error {
	cell := filepath.FromSlash(j.record.Key.Folder())
	claimed, err := claim(cell)
	if err != nil {
		return err
	}
	if !claimed {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.taken = append(c.taken, j)
		return nil
	}
	defer c.claims.give(cell)
	found, ok, err := Find(c.Store, j.trial, j.record, c.Checkpoints)
	if err != nil {
		return err
	}
	p := c.watch.begin(j)
	if ok {
		p.found(found)
		return nil
	}
	return c.measure(ctx, j, p)
}

// returned is the memory of a trial from which it is given back to the
// system at once.
const returned = 64 << 20

// measure waits for memory, measures a trial and writes its record.
func (c *crew) measure(ctx context.Context, j job, p *progress) error {
	return c.memory.use(j.bytes, func() error {
		if j.bytes >= returned {
			defer debug.FreeOSMemory() // the next one looks at what is free
		}
		p.restart()
		return c.measureNow(ctx, j, p)
	})
}

// measureNow does so when there is room.
func (c *crew) measureNow(ctx context.Context, j job, p *progress) error {
	rec, observed, model, err := measure(ctx, j, c.Device, p.tick)
	if err != nil {
		return err
	}
	if c.Checkpoints && model != nil {
		spec := map[string]string{models.SpecKey: string(rec.Spec)}
		data, err := models.EncodeCheckpoint(model.Snapshot(models.Everything), spec)
		if err == nil {
			err = atomicfile.Root(c.Store.Dir).Write(checkpointPath(c.Store, rec), data)
		}
		if err != nil {
			return &StoreError{err}
		}
	}
	if rec, err = c.Store.Write(rec, observed); err != nil {
		return &StoreError{err}
	}
	p.done(rec)
	return nil
}
