package harness

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	"dgsbench/kernels"
	"dgsbench/kernels/devices"
)

// memory keeps trials side by side from taking more than there is of the
// memory that they share: a trial waits until there is room for it.
type memory struct {
	owner   string
	total   int64 // bytes
	mu      sync.Mutex
	change  sync.Cond
	free    int64
	running int
	shared  bool // some trials have run side by side
}

// newMemory returns what is free now for models on the device.
func newMemory(on devices.Target) *memory {
	debug.FreeOSMemory() // garbage counts as free
	m := on.Memory()
	return newLimit(m.Owner, m.Free)
}

// newLimit returns a memory of that many bytes.
func newLimit(owner string, bytes int64) *memory {
	m := &memory{owner: owner, total: bytes, free: bytes}
	m.change.L = &m.mu
	return m
}

// check returns an error that names the first trial that never fits.
func (m *memory) check(jobs ...job) error {
	for _, j := range jobs {
		if j.bytes > m.total {
			return fmt.Errorf("%s on %s: needs %.1f GB of memory, %s has %.1f GB free; change its options (docs/models says what its memory goes with), or leave it out with --models",
				j.trial.Ref(), j.trial.Dataset, float64(j.bytes)/1e9, m.owner, float64(m.total)/1e9)
		}
	}
	return nil
}

// use calls do, which takes need bytes, when there is room for it. Not all that
// a model takes of a card is known before: if it finds the card full, do is
// called once more, with the card to itself.
func (m *memory) use(need int64, do func() error) error {
	shared, err := m.holding(need, do)
	if shared && errors.Is(err, kernels.ErrMemory) {
		_, err = m.holding(devices.Unlimited/2, do)
	}
	return err
}

// holding calls do between acquire and release, also if do panics.
func (m *memory) holding(need int64, do func() error) (shared bool, err error) {
	m.acquire(need)
	defer func() { shared = m.release(need) }()
	return false, do()
}

// acquire waits until need bytes are free, or no other trial runs: then the
// model says itself that it does not fit.
func (m *memory) acquire(need int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for need > m.free && m.running > 0 {
		m.change.Wait()
	}
	m.free -= need
	m.running++
	m.shared = m.shared || m.running > 1
}

// release frees what acquire took. It reports whether trials have run side by side.
func (m *memory) release(need int64) (shared bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.free += need
	m.running--
	m.change.Broadcast()
	return m.shared
}
