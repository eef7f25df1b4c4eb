package plan

import (
	"fmt"
	"io"

	"dgsbench/kernels/devices"
	"dgsbench/specs"
)

// Card is what a plan takes of a card. Sizes are bytes.
type Card struct {
	Hours   float64 `json:"hours"` // of one card, latency tests included
	Memory  int64   `json:"memory"`
	Free    int64   `json:"memory_free"`
	Total   int64   `json:"memory_total"`
	Largest int64   `json:"memory_largest"` // of one trial that is to be done
	Which   string  `json:"largest,omitempty"`
	Room    int64   `json:"largest_side_by_side"` // how many such have room
}

// newCard is nil where models are not on a card.
func newCard(on devices.Target) *Card {
	if !on.SeparateMemory() {
		return nil
	}
	c := &Card{Free: unlimited}
	if m := on.Memory(); m.Known {
		c.Free, c.Total = m.Free, m.Total
	}
	return c
}

// sum adds up what the plan says, with so many bytes at most at once.
func (c *Card) sum(p Plan, memory int64) {
	c.Hours, c.Memory = p.Seconds/3600, memory
	for _, cell := range p.Cells {
		if cell.ToDo > 0 && cell.OnCard > c.Largest {
			c.Largest, c.Which = cell.OnCard, specs.JoinRef(cell.Model, cell.Variant)+" on "+cell.Dataset
			c.Room = c.Free / c.Largest
		}
	}
}

// write says for readers what the card has to do with it, and how several
// share the work.
func (c *Card) write(w io.Writer, workers int) {
	fmt.Fprintf(w, "one card: %s hours, %s of its %s of memory at most at once\n", digits(c.Hours), size(c.Memory), size(c.Total))
	if c.Largest > 0 {
		fmt.Fprintf(w, "largest trial: %s, %s of the card's memory: %d of them side by side\n", c.Which, size(c.Largest), min(c.Room, int64(workers)))
	}
	fmt.Fprintln(w, "tried out: on the card, as many side by side as will be measured so, a few windows scaled to whole trials\n"+
		"several cards: one run for each (--device cuda:0, --device cuda:1) in the same folder shares the work; divide the hours by their number")
}
