//go:build gpu

package cuda

import (
	"fmt"
	"io/fs"
	"sync"

	"dgsbench/kernels/cuda/driver"
)

// card is a card with the kernels on it. Devices share it.
type card struct {
	driver.Device
	kernels map[string]kernel
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
	c := &card{Device: d, kernels: map[string]kernel{}}
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
