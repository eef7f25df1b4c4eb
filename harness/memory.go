package harness

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	"dgsbench/kernels"
	"dgsbench/kernels/devices"
)

// memory keeps trials side by side from taking more than the machine has, or
// the card that all of them are on: a trial waits until there is room for it.
type memory struct {
	whose   string
	mu      sync.Mutex
	change  sync.Cond
	free    int64
	running int
	shared  bool // some have run side by side
}

// newMemory starts with what there is now, or without a limit where that is
// not known.
func newMemory(on devices.Target) *memory {
	debug.FreeOSMemory() // garbage is no memory that is taken
	m := on.Memory()
	if !m.Known {
		m.Free = 1 << 62
	}
	return newRoom(m.Owner, m.Free)
}

// newRoom starts with so many bytes.
func newRoom(whose string, free int64) *memory {
	m := &memory{whose: whose, free: free}
	m.change.L = &m.mu
	return m
}

// refuse says before anything is measured which trial never fits.
func (m *memory) refuse(jobs []job) error {
	for _, j := range jobs {
		if j.bytes > m.free {
			return fmt.Errorf("%s on %s: needs %.1f GB of memory, %s has %.1f GB free; change its options (docs/models says what its memory goes with), or leave it out with --models",
				j.trial.Ref(), j.trial.Dataset, float64(j.bytes)/1e9, m.whose, float64(m.free)/1e9)
		}
	}
	return nil
}

// use does something that takes so many bytes, when there is room for it. Not
// all that a model takes of a card is known before: if it finds the card full,
// it begins again as soon as it has it to itself.
func (m *memory) use(need int64, do func() error) error {
	err := m.once(need, do)
	if !errors.Is(err, kernels.ErrMemory) || !m.wasShared() {
		return err
	}
	const everything = 1 << 61
	return m.once(everything, do)
}

func (m *memory) once(need int64, do func() error) error {
	m.take(need)
	defer m.give(need)
	return do()
}

func (m *memory) wasShared() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.shared
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
	m.shared = m.shared || m.running > 1
}

// give returns what take took.
func (m *memory) give(need int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.free += need
	m.running--
	m.change.Broadcast()
}
