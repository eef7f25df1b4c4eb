//go:build gpu

package cuda

import (
	"fmt"
	"io/fs"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"dgsbench/kernels/cuda/driver"
)

// card is a card with the kernels on it. Devices share it, each with a stream
// and a heap of its own, and none waits for another except where memory is
// given back.
type card struct {
	*driver.Device
	kernels map[string]kernel
	held    atomic.Int64 // bytes in all heaps

	mutex     sync.Mutex
	heaps     map[*heap]bool // of the devices
	capturing sync.RWMutex   // by any number of them
}

// kernel is one that can be launched.
type kernel struct {
	function   driver.Function
	parameters int
}

// cards are those that have been opened.
var cards struct {
	sync.Mutex
	open map[place]*card
}

// place is where a card is found.
type place struct {
	library string
	number  int
}

// openCard opens a card, or finds it among those that are open.
func openCard(p place) (*card, error) {
	cards.Lock()
	defer cards.Unlock()
	if c := cards.open[p]; c != nil {
		return c, nil
	}
	d, err := driver.Open(p.library, p.number)
	if err != nil {
		return nil, err
	}
	c := &card{Device: d, kernels: map[string]kernel{}, heaps: map[*heap]bool{}}
	if err := d.Do(c.load); err != nil {
		return nil, err
	}
	if cards.open == nil {
		cards.open = map[place]*card{}
	}
	cards.open[p] = c
	return c, nil
}

// load puts all modules on the card.
func (c *card) load() error {
	files, err := fs.Glob(modules, "*.ptx")
	if err != nil {
		return err
	}
	for _, file := range files {
		ptx, err := modules.ReadFile(file)
		if err != nil {
			return err
		}
		if err := c.loadModule(string(ptx)); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}

func (c *card) loadModule(ptx string) error {
	m, err := c.Load(ptx)
	if err != nil {
		return err
	}
	for _, e := range entries(ptx) {
		f, err := c.Function(m, e.name, c.Info().Shared)
		if err != nil {
			return err
		}
		c.kernels[e.name] = kernel{f, e.parameters}
	}
	return nil
}

// Capture is the driver's. Nobody gives anything back meanwhile.
func (c *card) Capture(s driver.Stream, f func() error) (driver.Graph, error) {
	c.capturing.RLock()
	defer c.capturing.RUnlock()
	return c.Device.Capture(s, f)
}

// add makes a device's heap known to the others.
func (c *card) add(h *heap) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.heaps[h] = true
}

// remove is the end of add, before the stream's.
func (c *card) remove(h *heap) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	delete(c.heaps, h)
}

// betweenCaptures does something unless any stream is captured: nobody may
// wait for that one, and giving memory back waits for all.
func (c *card) betweenCaptures(do func() error) error {
	if !c.capturing.TryLock() {
		return nil
	}
	defer c.capturing.Unlock()
	return do()
}

// collect gives back what any device has discarded: one that asks for no
// memory would keep it.
func (c *card) collect() error {
	return c.betweenCaptures(func() error {
		c.mutex.Lock()
		defer c.mutex.Unlock()
		for h := range c.heaps {
			if err := h.giveBack(); err != nil {
				return err
			}
		}
		return nil
	})
}

// memory is what is free of the card, and all of it. What devices have left
// that are gone is given back first: a collection at a time, as long as that
// helps.
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
