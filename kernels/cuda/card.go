//go:build gpu

package cuda

import (
	"embed"
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"dgsbench/kernels"
	"dgsbench/kernels/cuda/driver"
)

// Modules are the compiled kernels.
//
//go:embed *.ptx
var Modules embed.FS

// Sources are the kernels before they were compiled. Package cudatest
// compiles them for the processor.
//
//go:embed *.cu *.h
var Sources embed.FS

// Card is a card with the kernels on it. Devices share it, each with a stream
// and a heap of its own, and wait for each other only where memory is freed.
type Card struct {
	*driver.Device
	kernels map[string]kernel
	held    atomic.Int64 // bytes in all heaps

	mutex     sync.Mutex
	heaps     map[*heap]bool // of the devices
	capturing sync.RWMutex   // read-locked by every capture
}

type kernel struct {
	function   driver.Function
	parameters int
}

// cards are those that have been opened, by library and number.
var (
	opening sync.Mutex // guards cards
	cards   = map[string]*Card{}
)

// OpenCard opens card number n, from 0 on, of this driver's library unless it is
// open already. An error wraps driver.ErrNoGPU if there is no such card.
func OpenCard(library string, n int) (*Card, error) {
	opening.Lock()
	defer opening.Unlock()
	key := fmt.Sprint(library, ":", n)
	if c := cards[key]; c != nil {
		return c, nil
	}
	d, err := driver.Open(library, n)
	if err != nil {
		return nil, err
	}
	c := &Card{Device: d, kernels: map[string]kernel{}, heaps: map[*heap]bool{}}
	if err := d.Do(c.loadAll); err != nil {
		return nil, err
	}
	cards[key] = c
	return c, nil
}

func (c *Card) loadAll() error {
	files, err := Modules.ReadDir(".")
	if err != nil {
		return err
	}
	for _, file := range files {
		ptx, err := Modules.ReadFile(file.Name())
		if err == nil {
			err = c.load(string(ptx))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", file.Name(), err)
		}
	}
	return nil
}

// entry matches a kernel and its parameters.
var entry = regexp.MustCompile(`\.visible \.entry (\w+)\(([^)]*)\)`)

// load loads the kernels of a module.
func (c *Card) load(ptx string) error {
	m, err := c.Load(ptx)
	if err != nil {
		return err
	}
	for _, match := range entry.FindAllStringSubmatch(ptx, -1) {
		f, err := c.Function(m, match[1], c.Info().Shared)
		if err != nil {
			return err
		}
		c.kernels[match[1]] = kernel{f, strings.Count(match[2], ".param ")}
	}
	return nil
}

// must does a piece of work on the card. Its panic is a kernels.Failure.
func (c *Card) must(work func() error) {
	if err := c.Do(work); err != nil {
		panic(&kernels.Failure{Err: fmt.Errorf("cuda: %w", err)})
	}
}

// Capture is the driver's. Nobody frees memory during a capture.
func (c *Card) Capture(s driver.Stream, f func() error) (driver.Graph, error) {
	c.capturing.RLock()
	defer c.capturing.RUnlock()
	return c.Device.Capture(s, f)
}

// betweenCaptures calls f, which frees memory, unless any stream is captured:
// freeing waits for all streams, which CUDA refuses during a capture.
func (c *Card) betweenCaptures(f func() error) error {
	if !c.capturing.TryLock() {
		return nil
	}
	defer c.capturing.Unlock()
	return f()
}

// collect frees what any device has discarded: one that allocates nothing
// would not do it by itself.
func (c *Card) collect() error {
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

// Memory returns the free and the total bytes. What unreachable devices hold is
// freed first: a garbage collection at a time, as long as that helps.
func (c *Card) Memory() (free, total int, err error) {
	for before, now := int64(-1), c.held.Load(); now > 0 && now != before; before, now = now, c.held.Load() {
		runtime.GC()
		time.Sleep(afterCollection)
	}
	err = c.Do(func() (err error) {
		free, total, err = c.Device.Memory()
		return err
	})
	return free, total, err
}
