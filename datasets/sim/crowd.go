package sim

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

const (
	// memory is how many events a return can go back, a power of two.
	memory = 1 << 16
	// paceEvery is how often the pace of arrivals follows its curve.
	paceEvery = 1024
)

// crowd knows who has appeared and who acted when.
type crowd struct {
	p         Params
	sources   []int32 // of the last events, by number modulo memory
	receivers []int32 // the same; nil where sources receive nothing
	slots     int     // places for a newcomer in an event: 1, or 2 where accounts are both
	done      int     // events so far
	arrived   int     // nodes that have appeared; they are numbered by it
	alive     int     // those among the sources that can act
	pace      float64 // arrivals against a steady rate
}

func newCrowd(p Params) crowd {
	c := crowd{p: p, sources: make([]int32, memory), slots: 1, pace: 1}
	if !p.bipartite() {
		c.receivers, c.slots = make([]int32, memory), 2
	}
	return c
}

// more reports whether somebody can act when one actor leaves.
func (c *crowd) more() bool { return c.alive > 1 || c.arrived < c.p.Users }

func (c *crowd) remember(u, v int32) {
	c.sources[c.done%memory] = u
	if c.receivers != nil {
		c.receivers[c.done%memory] = v
	}
	c.done++
}

// arrival is the chance that the next place for a newcomer is taken by one,
// when `open` of them are left in the present event, so that all users will
// have appeared at the end (selection sampling along the curve of arrivals).
func (c *crowd) arrival(open int) float64 {
	if c.done%paceEvery == 0 {
		c.pace = 1
		if x := float64(c.done) / float64(c.p.Events); x > 0 && c.p.Activity.Arrival != 1 {
			g := c.p.Activity.Arrival
			c.pace = g * math.Pow(x, g-1) * (1 - x) / (1 - math.Pow(x, g))
		}
	}
	places := open + c.slots*(c.p.Events-c.done-1)
	missing := c.p.Users - c.arrived
	if missing >= places {
		return 1
	}
	return c.pace * float64(missing) / float64(places)
}

// lag is how many events to go back, from 1.
func (c *crowd) lag(rng *rand.Rand) int {
	if rng.Float64() < c.p.Activity.Session {
		return 1 + int(c.p.Activity.Lag*rng.ExpFloat64())
	}
	octave := rng.IntN(bits.Len(memory) - 1)
	return 1<<octave + rng.IntN(1<<octave)
}

// source decides who acts.
func (g *Generator) source() int32 {
	c := &g.crowd
	if c.alive == 0 || g.rng.Float64() < c.arrival(c.slots) {
		return g.enter()
	}
	if g.rng.Float64() < c.p.Activity.Anyone {
		return g.anyone()
	}
	const tries = 64
	for range tries {
		lag := c.lag(g.rng)
		if lag > c.done || lag > memory {
			continue
		}
		from := c.sources
		if c.receivers != nil && g.rng.Float64() < c.p.Activity.Forward {
			from = c.receivers
		}
		if u := from[(c.done-lag)%memory]; !g.actors[u].gone {
			return u
		}
	}
	return g.anyone()
}

// anyone is some actor that can act.
func (g *Generator) anyone() int32 {
	for {
		if u := g.rng.IntN(g.crowd.arrived); !g.actors[u].gone {
			return int32(u)
		}
	}
}

// enter lets the next newcomer in.
func (g *Generator) enter() int32 {
	u := g.crowd.arrived
	g.actors[u].enter(g.rng, g.p.Links)
	g.crowd.arrived++
	g.crowd.alive++
	return int32(u)
}
