//go:build gpu

package cuda

import (
	"errors"
	"runtime"
	"sync"
	"time"

	"dgsbench/kernels/cuda/driver"
)

// heap gives memory of a card to one device, and takes back what is no
// longer reachable.
type heap struct {
	card *card

	mutex  sync.Mutex // cleanups come from any goroutine
	unused []driver.Ptr
	closed bool // the device is gone
}

// memory is a piece of the card's. It is reachable as long as any buffer in
// it is.
type memory struct{ at driver.Ptr }

// alloc takes so many bytes. The card's memory does not hurry Go's collector:
// where it is full, the collector is asked what nobody uses any more.
func (h *heap) alloc(bytes int, stream driver.Stream) *memory {
	const attempts, pause = 10, 20 * time.Millisecond // cleanups run a little after a collection
	m := &memory{}
	h.card.must(func() (err error) {
		for i := range attempts {
			if err := h.collect(stream); err != nil {
				return err
			}
			if m.at, err = h.card.Alloc(bytes); !errors.Is(err, driver.ErrMemory) || i == attempts-1 {
				return err
			}
			runtime.GC()
			time.Sleep(pause)
		}
		return nil
	})
	runtime.AddCleanup(m, func(at driver.Ptr) { h.discard(at) }, m.at)
	return m
}

// collect gives back what was discarded, when all work that may use it is
// done.
func (h *heap) collect(stream driver.Stream) error {
	h.mutex.Lock()
	unused := h.unused
	h.unused = nil
	h.mutex.Unlock()
	if len(unused) == 0 {
		return nil
	}
	if err := h.card.Sync(stream); err != nil {
		return err
	}
	for _, at := range unused {
		if err := h.card.Free(at); err != nil {
			return err
		}
	}
	return nil
}

// discard notes that nobody uses the memory any more.
func (h *heap) discard(at driver.Ptr) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if !h.closed {
		h.unused = append(h.unused, at)
		return
	}
	_ = h.card.Do(func() error { return h.card.Free(at) })
}

// close gives back what was discarded, now and from now on.
func (h *heap) close() {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.closed = true
	_ = h.card.Do(func() error {
		for _, at := range h.unused {
			_ = h.card.Free(at)
		}
		return nil
	})
}
