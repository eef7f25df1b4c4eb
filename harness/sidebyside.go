package harness

// SideBySide is what trials take together that begin one after another, each
// as soon as a worker is free and as there is room for it in the memory: the
// time to the end of the last one, and the most memory at once.
func SideBySide(loads []Load, workers int, room int64) (all Load) {
	c := shift{}
	for _, l := range loads {
		for len(c.running) == workers || len(c.running) > 0 && c.held.Bytes+l.Bytes > room {
			c.wait()
		}
		c.begin(l)
		all.Bytes, all.Host = max(all.Bytes, c.held.Bytes), max(all.Host, c.held.Host)
	}
	for len(c.running) > 0 {
		c.wait()
	}
	all.Seconds = c.now
	return all
}

// shift are trials side by side.
type shift struct {
	now     float64
	running []Load // Seconds being when they end
	held    Load   // memory of all of them
}

func (c *shift) begin(l Load) {
	l.Seconds += c.now
	c.running = append(c.running, l)
	c.held.Bytes, c.held.Host = c.held.Bytes+l.Bytes, c.held.Host+l.Host
}

// wait lets the time pass until the next one ends.
func (c *shift) wait() {
	next := 0
	for i, l := range c.running {
		if l.Seconds < c.running[next].Seconds {
			next = i
		}
	}
	over := c.running[next]
	c.running = append(c.running[:next], c.running[next+1:]...)
	c.now = over.Seconds
	c.held.Bytes, c.held.Host = c.held.Bytes-over.Bytes, c.held.Host-over.Host
}
