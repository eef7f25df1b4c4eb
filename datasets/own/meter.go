package own

import (
	"context"
	"io"
	"sync"
)

// meter tells whoever waits how far an import is, and ends it with its
// context: every part of the work asks it once in a while.
type meter struct {
	ctx    context.Context
	report func(share float64) // of the whole, 0 to 1; may be nil

	mu         sync.Mutex
	share, end float64 // of the whole: before the present phase, and with it
	done, all  int64   // of the present phase, in units of its own
}

// begin begins the next phase, which takes until that share of the whole and
// has so many units.
func (m *meter) begin(until float64, units int64) {
	m.share, m.end = m.end, until
	m.done, m.all = 0, units
}

// add says that n more units are done. Its error is the context's.
func (m *meter) add(n int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done += int64(n)
	if m.report != nil && m.all > 0 {
		m.report(m.share + (m.end-m.share)*min(1, float64(m.done)/float64(m.all)))
	}
	return m.ctx.Err()
}

// meteredFile counts the bytes that are read of a file.
type meteredFile struct {
	file interface {
		io.Reader
		io.ReaderAt
	}
	*meter
}

func (f meteredFile) Read(p []byte) (int, error) {
	if err := f.add(len(p)); err != nil {
		return 0, err
	}
	return f.file.Read(p)
}

func (f meteredFile) ReadAt(p []byte, off int64) (int, error) {
	if err := f.add(len(p)); err != nil {
		return 0, err
	}
	return f.file.ReadAt(p, off)
}
