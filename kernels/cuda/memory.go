//go:build gpu

package cuda

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"
	"unsafe"

	"dgsbench/kernels"
	"dgsbench/kernels/cuda/driver"
)

// wordBytes is the size of a float32 and of an int32.
const wordBytes = 4

// buffer is a kernels.Buffer, ints are kernels.Ints. Mixing them up panics.
type (
	buffer struct{ words }
	ints   struct{ words }
)

// words are n float32 or int32 in the card's memory.
type words struct {
	memory *memory // that they lie in, so that it stays reachable
	at     driver.Ptr
	n      int
}

func (w words) Len() int { return w.n }

// piece is where they lie.
func (w words) piece() piece { return piece{w.at, w.n * wordBytes} }

func (w words) window(offset, n int) words {
	if offset < 0 || n < 0 || offset+n > w.n {
		panic(fmt.Sprintf("cuda: a view of %d numbers from %d on, of %d", n, offset, w.n))
	}
	return words{w.memory, w.at + driver.Ptr(offset*wordBytes), n}
}

// first is the address of the first n elements.
func (w words) first(n int) uint64 {
	if n < 0 || n > w.n {
		panic(fmt.Sprintf("cuda: %d numbers of %d", n, w.n))
	}
	return uint64(w.at)
}

// at is the address of the first n elements of a buffer.
func at(b kernels.Buffer, n int) uint64 { return b.(buffer).first(n) }

// atInts is the address of the first n elements of a list.
func atInts(l kernels.Ints, n int) uint64 { return l.(ints).first(n) }

// maybe is the address of a buffer that may be nil, 0 then.
func maybe(b kernels.Buffer, n int) uint64 {
	if b == nil {
		return 0
	}
	return at(b, n)
}

func (d *Device) NewBuffer(n int) kernels.Buffer { return buffer{d.zeros(n)} }

func (d *Device) NewInts(n int) kernels.Ints { return ints{d.zeros(n)} }

func (d *Device) zeros(n int) words {
	m := d.heap.alloc(max(n, 1) * wordBytes)
	d.clear(m.at, n*wordBytes)
	return words{m, m.at, n}
}

func (d *Device) clear(at driver.Ptr, bytes int) {
	if bytes == 0 {
		return
	}
	d.flush()
	d.work.Fills++
	fill := func() error { return d.card.Clear(at, bytes, d.stream) }
	if d.tape != nil {
		d.tape.add(fill)
	} else {
		d.card.must(fill)
	}
}

func (d *Device) View(b kernels.Buffer, offset, n int) kernels.Buffer {
	return buffer{b.(buffer).window(offset, n)}
}

func (d *Device) ViewInts(l kernels.Ints, offset, n int) kernels.Ints {
	return ints{l.(ints).window(offset, n)}
}

func (d *Device) Write(dst kernels.Buffer, src []float32) {
	d.upload(dst.(buffer).window(0, len(src)), bytesOf(src))
}

func (d *Device) WriteFloat64(dst kernels.Buffer, src []float64) {
	d.rounded = d.rounded[:0]
	for _, v := range src {
		d.rounded = append(d.rounded, float32(v))
	}
	d.Write(dst, d.rounded)
}

func (d *Device) WriteInts(dst kernels.Ints, src []int32) {
	d.upload(dst.(ints).window(0, len(src)), bytesOf(src))
}

func (d *Device) Read(dst []float32, src kernels.Buffer) {
	if !d.readResult(dst, src) {
		d.download(bytesOf(dst), driver.Ptr(at(src, len(dst))))
	}
}

// bytesOf is a slice's memory.
func bytesOf[T float32 | int32 | uint16 | uint64 | cardCall | cardPiece](x []T) []byte {
	var one T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), len(x)*int(unsafe.Sizeof(one)))
}

// heap allocates memory of a card for one device, and frees what is no longer
// reachable: graphs, too, which the card may still work on.
type heap struct {
	card   *Card
	stream driver.Stream // of the device

	mutex      sync.Mutex // cleanups come from any goroutine
	discarded  []garbage
	held, peak int64 // bytes that are allocated, and their largest number so far
	closed     bool  // the device is gone
}

// piece is memory of the card.
type piece struct {
	at    driver.Ptr
	bytes int
}

// overlaps reports whether two pieces have bytes in common.
func (p piece) overlaps(other piece) bool {
	return p.at < other.at+driver.Ptr(other.bytes) && other.at < p.at+driver.Ptr(p.bytes)
}

// memory is a piece that is freed when no words in it are reachable.
type memory struct{ piece }

// garbage is memory or a graph that is no longer reachable.
type garbage struct {
	piece
	graph driver.Graph
}

const (
	collections     = 10                    // of garbage, before the card counts as full
	afterCollection = 20 * time.Millisecond // until cleanups have run
)

// alloc allocates bytes. The card's memory does not hurry Go's collector: where
// it is full, garbage is collected first.
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
	runtime.AddCleanup(m, func(p piece) { h.discard(garbage{piece: p}) }, m.piece)
	return m
}

// count adds allocated bytes; freed ones are negative.
func (h *heap) count(bytes int) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.card.held.Add(int64(bytes))
	h.held += int64(bytes)
	h.peak = max(h.peak, h.held)
}

// collect frees what was discarded, if that can be done now.
func (h *heap) collect() error { return h.card.betweenCaptures(h.freeDiscarded) }

// freeDiscarded waits for the stream, whose work may use what it frees. The
// driver waits for the work of other devices on the card, too.
func (h *heap) freeDiscarded() error {
	h.mutex.Lock()
	discarded := h.discarded
	h.discarded = nil
	h.mutex.Unlock()
	if len(discarded) == 0 {
		return nil
	}
	if err := h.card.Sync(h.stream); err != nil {
		return err
	}
	for _, g := range discarded {
		if err := h.free(g); err != nil {
			return err
		}
	}
	return nil
}

func (h *heap) free(g garbage) error {
	if g.graph != 0 {
		return h.card.FreeGraph(g.graph)
	}
	h.count(-g.bytes)
	return h.card.Free(g.at)
}

// discard has garbage freed by the next collect, or at once after close.
func (h *heap) discard(g garbage) {
	h.mutex.Lock()
	closed := h.closed
	if !closed {
		h.discarded = append(h.discarded, g)
	}
	h.mutex.Unlock()
	if closed {
		_ = h.card.Do(func() error { return h.free(g) })
	}
}

// close frees what the device has held. Errors are of work that nobody waits for.
func (h *heap) close(s staging) {
	c := h.card
	c.mutex.Lock()
	delete(c.heaps, h) // before its stream is freed
	c.mutex.Unlock()
	_ = c.Do(func() error { return c.Sync(h.stream) }) // work may still use what is freed
	h.mutex.Lock()
	discarded := h.discarded
	h.discarded, h.closed = nil, true
	h.mutex.Unlock()
	_ = c.Do(func() error {
		for _, g := range discarded {
			_ = h.free(g)
		}
		_ = c.FreeStream(h.stream)
		_ = c.FreePinned(s.memory)
		for _, e := range s.passed {
			_ = c.FreeEvent(e)
		}
		return nil
	})
}
