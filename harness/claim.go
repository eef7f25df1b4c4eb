package harness

import (
	"context"
	"errors"
	"path/filepath"
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

// take claims a cell, the folder of its records below the root, unless
// another process holds it.
func (c *claims) take(cell string) (bool, error) {
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

// claimAgain is how often a claim that another process holds is asked for.
const claimAgain = 200 * time.Millisecond

// wait is take that waits until the other process is done, or ctx is.
func (c *claims) wait(ctx context.Context, cell string) (bool, error) {
	for {
		if ok, err := c.take(cell); ok || err != nil {
			return ok, err
		}
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-time.After(claimAgain):
		}
	}
}

// give ends what take began, when the last worker has.
func (c *claims) give(cell string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	held := c.held[cell]
	if held.workers--; held.workers == 0 {
		held.lock.Release()
		delete(c.held, cell)
	}
}
