package harness

import (
	"context"
	"os"
	"sync"
	"time"
)

// claims keep two runs in one folder from measuring the same trials: a run
// claims the folder of a cell while any of its workers measures one of the
// cell's seeds. The claim is the operating system's lock on the open folder,
// which ends with the process, so that none is ever left behind. Where there
// are no such locks, both runs measure the trial and write the same.
type claims struct {
	mu   sync.Mutex
	held map[string]*claim // by folder
}

type claim struct {
	folder  *os.File
	workers int
}

// take claims a folder, which it makes where needed, unless another process
// holds it.
func (c *claims) take(dir string) (bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if held := c.held[dir]; held != nil {
		held.workers++
		return true, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return false, &StoreError{err}
	}
	folder, err := os.Open(dir)
	if err != nil {
		return false, &StoreError{err}
	}
	if !lock(folder) {
		folder.Close()
		return false, nil
	}
	if c.held == nil {
		c.held = map[string]*claim{}
	}
	c.held[dir] = &claim{folder, 1}
	return true, nil
}

// claimAgain is how often a claim that another process holds is asked for.
const claimAgain = 200 * time.Millisecond

// wait is take that waits until the other process is done, or ctx is.
func (c *claims) wait(ctx context.Context, dir string) (bool, error) {
	for {
		if ok, err := c.take(dir); ok || err != nil {
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
func (c *claims) give(dir string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	held := c.held[dir]
	if held.workers--; held.workers == 0 {
		held.folder.Close() // with it goes the lock
		delete(c.held, dir)
	}
}
