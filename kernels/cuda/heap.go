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
// longer reachable: graphs, too, which the card may still work on.
type heap struct {
	card   *card
	stream driver.Stream // of the device

	mutex      sync.Mutex // cleanups come from any goroutine
	unused     []piece
	graphs     []driver.Graph // that nobody launches any more
	held, most int64          // bytes taken, now and at most at once
	closed     bool           // the device is gone
}

// piece is memory of the card.
type piece struct {
	at    driver.Ptr
	bytes int
}

// memory is a piece that is reachable as long as any buffer in it is.
type memory struct{ piece }

// Cleanups run a little after a collection.
const (
	collections     = 10
	afterCollection = 20 * time.Millisecond
)

// alloc takes so many bytes. The card's memory does not hurry Go's collector:
// where it is full, the collector is asked what nobody uses any more.
func (h *heap) alloc(bytes int) *memory {
	m := &memory{piece{bytes: bytes}}
	h.card.must(func() (err error) {
		for i := range collections {
			if err := h.collect(); err != nil {
				return err
			}
			if m.at, err = h.card.Alloc(bytes); !errors.Is(err, driver.ErrMemory) || i == collections-1 {
				return err
			}
			runtime.GC()
			time.Sleep(afterCollection)
			if err := h.card.collect(); err != nil {
				return err
			}
		}
		return nil
	})
	h.count(bytes)
	runtime.AddCleanup(m, func(p piece) { h.discard(p) }, m.piece)
	return m
}

// count notes bytes that were taken, or with a minus given back.
func (h *heap) count(bytes int) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.counted(bytes)
}

// counted is count for those who have the mutex.
func (h *heap) counted(bytes int) {
	h.card.held.Add(int64(bytes))
	h.held += int64(bytes)
	h.most = max(h.most, h.held)
}

// mostHeld is the most bytes taken at once.
func (h *heap) mostHeld() int64 {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return h.most
}

// collect gives back what was discarded, if that can be done now.
func (h *heap) collect() error { return h.card.betweenCaptures(h.giveBack) }

// giveBack does so when all work that may use it is done. The driver waits for
// the work of other devices on the card, too.
func (h *heap) giveBack() error {
	h.mutex.Lock()
	unused, graphs := h.unused, h.graphs
	h.unused, h.graphs = nil, nil
	h.mutex.Unlock()
	if len(unused)+len(graphs) == 0 {
		return nil
	}
	if err := h.card.Sync(h.stream); err != nil {
		return err
	}
	for _, g := range graphs {
		if err := h.card.FreeGraph(g); err != nil {
			return err
		}
	}
	for _, p := range unused {
		if err := h.card.Free(p.at); err != nil {
			return err
		}
		h.count(-p.bytes)
	}
	return nil
}

// discard notes that nobody uses the memory any more.
func (h *heap) discard(p piece) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if !h.closed {
		h.unused = append(h.unused, p)
		return
	}
	h.counted(-p.bytes)
	_ = h.card.Do(func() error { return h.card.Free(p.at) })
}

// discardGraph notes that nobody launches it any more.
func (h *heap) discardGraph(g driver.Graph) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if !h.closed {
		h.graphs = append(h.graphs, g)
		return
	}
	_ = h.card.Do(func() error { return h.card.FreeGraph(g) })
}

// close gives back what was discarded, now and from now on.
func (h *heap) close() {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.closed = true
	_ = h.card.Do(func() error {
		for _, g := range h.graphs {
			_ = h.card.FreeGraph(g)
		}
		for _, p := range h.unused {
			h.counted(-p.bytes)
			_ = h.card.Free(p.at)
		}
		return nil
	})
}
