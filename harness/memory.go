package harness

import (
	"fmt"
	"sync"

	"dgsbench/internal/ram"
)

// memory keeps trials side by side from taking more than the machine has: a
// trial waits until there is room for it.
type memory struct {
	mu      sync.Mutex
	change  sync.Cond
	free    int64
	running int
}

// newMemory starts with what the machine has now, or without a limit where
// that is not known.
func newMemory() *memory {
	free, known := ram.Available()
	if !known {
		free = 1 << 62
	}
	m := &memory{free: free}
	m.change.L = &m.mu
	return m
}

// refuse says before anything is measured which trial never fits.
func (m *memory) refuse(jobs []job) error {
	for _, j := range jobs {
		if j.bytes > m.free {
			return fmt.Errorf("%s on %s: training needs %.1f GB of memory, this machine has %.1f GB free; change its options (docs/models says what its memory goes with), or leave it out with --models",
				j.trial.Ref(), j.trial.Dataset, float64(j.bytes)/1e9, float64(m.free)/1e9)
		}
	}
	return nil
}

// take waits until need bytes are free, or no other trial runs: then the
// model says itself that it does not fit.
func (m *memory) take(need int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for need > m.free && m.running > 0 {
		m.change.Wait()
	}
	m.free -= need
	m.running++
}

// give returns what take took.
func (m *memory) give(need int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.free += need
	m.running--
	m.change.Broadcast()
}
