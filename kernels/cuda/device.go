//go:build gpu

package cuda

import (
	"fmt"
	"runtime"

	"dgsbench/kernels"
	"dgsbench/kernels/cuda/driver"
)

// Device runs kernels on a card, one after the other on a stream of its own.
type Device struct {
	card    *card
	heap    *heap
	stream  driver.Stream
	staging staging
	found   kernels.Ints // one number, of Finite
	notes   kernels.Ints // what kernels note: see the numbers below
	seen    int          // buffers that were looked at since somebody asked
	work    Work
	pending pendingChains // asked for, not yet launched
	uploads uploads       // likewise, of what the pending chains do not touch
	tape    *tape         // where work is noted instead, during Record

	launching launching
}

// The numbers of notes.
const (
	noteFault = iota // not 0 after a row number that is out of range
	noteBad          // what was seen that is not finite: see Device.see
	noteCount
)

var (
	_ kernels.Device      = (*Device)(nil)
	_ kernels.MemoryOwner = (*Device)(nil)
)

// Info is what is worth knowing about a card of those that Open opens.
func Info(library string, n int) (driver.Info, error) {
	c, err := openCard(place{library, n})
	if err != nil {
		return driver.Info{}, err
	}
	return c.Device.Info(), nil
}

// Memory is how many bytes are free of a card of those that Open opens, and
// how many it has. What devices have left that are no longer reachable is
// given back first.
func Memory(library string, n int) (free, total int, err error) {
	c, err := openCard(place{library, n})
	if err != nil {
		return 0, 0, err
	}
	return c.memory()
}

// Open makes a device on card number n, from 0 on, of the driver that this
// library is: driver.Library, but for tests. An error wraps driver.ErrNoGPU
// if there is no such card. What the device holds is given back when it is no
// longer reachable.
func Open(library string, n int) (*Device, error) {
	c, err := openCard(place{library, n})
	if err != nil {
		return nil, err
	}
	d := &Device{card: c}
	if err := c.Do(d.prepare); err != nil {
		return nil, err
	}
	d.heap = &heap{card: c, stream: d.stream}
	c.add(d.heap)
	d.found, d.notes = d.NewInts(1), d.NewInts(noteCount)
	d.prepareLaunch()
	runtime.AddCleanup(d, func(r resources) { r.release() }, resources{d.heap, d.stream, d.staging})
	return d, nil
}

func (d *Device) prepare() (err error) {
	if d.stream, err = d.card.NewStream(); err != nil {
		return err
	}
	d.staging, err = newStaging(d.card)
	return err
}

// Name is "cuda".
func (d *Device) Name() string { return "cuda" }

// PeakMemory is the most bytes of the card that its buffers have taken at once.
func (d *Device) PeakMemory() int64 { return d.heap.mostHeld() }

// Threads is one: calls that do not depend on each other follow one another on
// the stream.
func (d *Device) Threads() int { return 1 }

// Thread is the device itself.
func (d *Device) Thread(int) kernels.Device { return d }

// Wide is true.
func (d *Device) Wide() bool { return true }

// Parallel calls f(0).
func (d *Device) Parallel(f func(thread int)) { f(0) }

// resources are what a device holds beside buffers.
type resources struct {
	heap    *heap
	stream  driver.Stream
	staging staging
}

// release gives them back. Its errors could only be those of work that
// nobody waits for.
func (r resources) release() {
	c := r.heap.card
	c.remove(r.heap)
	_ = c.Do(func() error {
		_ = c.Sync(r.stream) // copies may still use what is freed
		_ = c.FreeStream(r.stream)
		_ = c.FreePinned(r.staging.memory)
		for _, e := range r.staging.passed {
			_ = c.FreeEvent(e)
		}
		return nil
	})
	r.heap.close()
}

// must does a piece of work on the card. Its panic is a kernels.Failure.
func (c *card) must(work func() error) {
	if err := c.Do(work); err != nil {
		panic(&kernels.Failure{Err: fmt.Errorf("cuda: %w", err)})
	}
}
