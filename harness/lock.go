package harness

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"dgsbench/internal/lock"
)

// claims keep two runs in one folder from measuring the same trials: a run
// claims a cell while any of its workers measures one of the cell's seeds.
// The claim is a lock in the folder of the results.
type claims struct {
	root string
	mu   sync.Mutex
	held map[string]*claim // by cell
}

type claim struct {
	lock    *lock.Lock
	workers int
}

// acquire claims a cell, the folder of its records below the root, unless
// another process holds it.
func (c *claims) acquire(cell string) (bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if held := c.held[cell]; held != nil {
		held.workers++
		return true, nil
	}
	l, err := lock.Try(lock.In(c.root, filepath.Join("cells", cell)))
	if errors.Is(err, lock.ErrHeld) {
		return false, nil
	}
	if err != nil {
		return false, &StoreError{err}
	}
	if c.held == nil {
		c.held = map[string]*claim{}
	}
	c.held[cell] = &claim{l, 1}
	return true, nil
}

// retryAfter is how often wait tries a claim that another process holds.
const retryAfter = 200 * time.Millisecond

// wait claims a cell as soon as no other process holds it, unless ctx ends
// before.
func (c *claims) wait(ctx context.Context, cell string) (bool, error) {
	for {
		if ok, err := c.acquire(cell); ok || err != nil {
			return ok, err
		}
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-time.After(retryAfter):
		}
	}
}

// release ends one worker's claim, and with the last worker the run's.
func (c *claims) release(cell string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	held := c.held[cell]
	if held.workers--; held.workers == 0 {
		held.lock.Release()
		delete(c.held, cell)
	}
}

// TimingLockVariable names the environment variable with the file that processes
// that time models lock, in place of one for the whole machine. Its value is
// TimingLockHeld if the parent process holds the lock.
const (
	TimingLockVariable = "DGSBENCH_TIMING_LOCK"
	TimingLockHeld     = "held"
)

// ExclusiveTiming calls do, which times models, while no other process of this machine
// does so, whatever its folders and its user. It calls waiting with the lock's
// file if it has to wait. The context of do ends when another process takes the
// lock over.
func ExclusiveTiming(ctx context.Context, waiting func(file string), do func(context.Context) error) error {
	file := os.Getenv(TimingLockVariable)
	switch file {
	case TimingLockHeld:
		return do(ctx)
	case "":
		file = filepath.Join(machineFolder(), "dgsbench-timing.lock")
	}
	l, err := lock.Wait(ctx, file, func() { waiting(file) })
	if err != nil {
		return err
	}
	defer l.Release()
	ctx, stop := l.During(ctx)
	defer stop()
	if err := do(ctx); err != nil {
		return cmp.Or(errLostLock(ctx), err)
	}
	return errLostLock(ctx)
}

// errLostLock returns lock.ErrLost if that is what ended the context.
func errLostLock(ctx context.Context) error {
	if errors.Is(context.Cause(ctx), lock.ErrLost) {
		return lock.ErrLost
	}
	return nil
}

// machineFolder returns a folder in which every user may create files. TMPDIR
// is not the same for all of them.
func machineFolder() string {
	if all := os.Getenv("ProgramData"); runtime.GOOS == "windows" && all != "" {
		return all
	}
	if info, err := os.Stat("/tmp"); err == nil && info.IsDir() {
		return "/tmp"
	}
	return os.TempDir()
}
