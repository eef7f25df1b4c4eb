//go:build gpu

package cuda

import (
	"embed"
	"fmt"
	"io/fs"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"dgsbench/kernels"
	"dgsbench/kernels/cuda/driver"
)

//go:embed *.ptx
var modules embed.FS

// Sources are the kernels before they were compiled. Package cudatest
// compiles them for the processor.
//
//go:embed *.cu *.h
var Sources embed.FS

// card is a card with the kernels on it. Devices share it, each with a stream
// and a heap of its own, and none waits for another except where memory is
// freed.
type card struct {
	*driver.Device
	kernels map[string]kernel
	held    atomic.Int64 // bytes in all heaps

	mutex     sync.Mutex
	heaps     map[*heap]bool // of the devices
	capturing sync.RWMutex   // read-locked by every capture
}

// kernel is a kernel that is loaded.
type kernel struct {
	function   driver.Function
	parameters int
}

// cardKey identifies a card.
type cardKey struct {
	library string
	number  int
}

// cards are those that have been opened.
var cards = struct {
	sync.Mutex
	open map[cardKey]*card
}{open: map[cardKey]*card{}}

// openCard opens a card unless it is open already.
func openCard(library string, number int) (*card, error) {
	cards.Lock()
	defer cards.Unlock()
	key := cardKey{library, number}
	if c := cards.open[key]; c != nil {
		return c, nil
	}
	d, err := driver.Open(library, number)
	if err != nil {
		return nil, err
	}
	c := &card{Device: d, kernels: map[string]kernel{}, heaps: map[*heap]bool{}}
	if err := d.Do(c.loadAll); err != nil {
		return nil, err
	}
	cards.open[key] = c
	return c, nil
}

// loadAll loads all modules.
func (c *card) loadAll() error {
	files, err := fs.Glob(modules, "*.ptx")
	if err != nil {
		return err
	}
	for _, file := range files {
		ptx, err := modules.ReadFile(file)
		if err != nil {
			return err
		}
		if err := c.load(string(ptx)); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}

// load loads the kernels of a module.
func (c *card) load(ptx string) error {
	m, err := c.Load(ptx)
	if err != nil {
		return err
	}
	for _, text := range strings.Split(ptx, ".visible .entry ")[1:] {
		name, rest, _ := strings.Cut(text, "(")
		list, _, closed := strings.Cut(rest, ")")
		if !closed {
			panic(fmt.Sprintf("cuda: the parameters of kernel %s have no end", name))
		}
		f, err := c.Function(m, name, c.Info().Shared)
		if err != nil {
			return err
		}
		c.kernels[name] = kernel{f, strings.Count(list, ".param ")}
	}
	return nil
}

// must does a piece of work on the card. Its panic is a kernels.Failure.
func (c *card) must(work func() error) {
	if err := c.Do(work); err != nil {
		panic(&kernels.Failure{Err: fmt.Errorf("cuda: %w", err)})
	}
}

// Capture is the driver's. Nobody frees memory during a capture.
func (c *card) Capture(s driver.Stream, f func() error) (driver.Graph, error) {
	c.capturing.RLock()
	defer c.capturing.RUnlock()
	return c.Device.Capture(s, f)
}

// betweenCaptures calls f unless any stream is captured: nobody may wait for
// that one, and freeing memory waits for all.
func (c *card) betweenCaptures(f func() error) error {
	if !c.capturing.TryLock() {
		return nil
	}
	defer c.capturing.Unlock()
	return f()
}

// register lists a device's heap, and unregister removes it, before the device's
// stream is freed.
func (c *card) register(h *heap) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.heaps[h] = true
}

func (c *card) unregister(h *heap) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	delete(c.heaps, h)
}

// collect frees what any device has discarded: one that allocates nothing
// would not do it by itself.
func (c *card) collect() error {
	return c.betweenCaptures(func() error {
		c.mutex.Lock()
		defer c.mutex.Unlock()
		for h := range c.heaps {
			if err := h.freeDiscarded(); err != nil {
				return err
			}
		}
		return nil
	})
}

// memory is the card's free and total bytes. What unreachable devices hold is
// freed first: a garbage collection at a time, as long as that helps.
func (c *card) memory() (free, total int, err error) {
	for before := c.held.Load(); before > 0; {
		runtime.GC()
		time.Sleep(afterCollection)
		now := c.held.Load()
		if now == before {
			break
		}
		before = now
	}
	err = c.Do(func() (err error) {
		free, total, err = c.Memory()
		return err
	})
	return free, total, err
}
