package sim

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

const (
	// memory is the number of past events from which a source can be drawn, a
	// power of two.
	memory = 1 << 16
	// paceEvery is the number of events between updates of the pace of arrivals.
	paceEvery = 1024
)

// crowd holds which nodes have appeared and which acted when.
type crowd struct {
	p         Params
	sources   []int32 // of the last events, by number modulo memory
	receivers []int32 // the same; nil in a bipartite stream
	slots     int     // places for a newcomer in an event: 1 if bipartite, else 2
	done      int     // events so far
	arrived   int     // nodes that have appeared; they are numbered in this order
	alive     int     // sources among them that can still act
	pace      float64 // arrivals as a multiple of a steady rate
}

func newCrowd(p Params) crowd {
	c := crowd{p: p, sources: make([]int32, memory), slots: 1, pace: 1}
	if !p.bipartite() {
		c.receivers, c.slots = make([]int32, memory), 2
	}
	return c
}

// canLeave reports whether a node can act after one actor leaves.
func (c *crowd) canLeave() bool { return c.alive > 1 || c.arrived < c.p.Users }

// add records an event.
func (c *crowd) add(u, v int32) {
	c.sources[c.done%memory] = u
	if c.receivers != nil {
		c.receivers[c.done%memory] = v
	}
	c.done++
}

// arrival returns the probability that a newcomer takes the next of the `open`
// places in the present event, so that all users will have appeared at the end
// (selection sampling along the curve of arrivals).
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

// lag draws the number of events to go back, from 1.
func (c *crowd) lag(rng *rand.Rand) int {
	if rng.Float64() < c.p.Activity.Session {
		return 1 + int(c.p.Activity.Lag*rng.ExpFloat64())
	}
	octave := rng.IntN(bits.Len(memory) - 1)
	return 1<<octave + rng.IntN(1<<octave)
}

// source draws the source of the next event.
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

// anyone draws one of the nodes that can act.
func (g *Generator) anyone() int32 {
	for {
		if u := g.rng.IntN(g.crowd.arrived); !g.actors[u].gone {
			return int32(u)
		}
	}
}

// enter adds the next newcomer.
func (g *Generator) enter() int32 {
	u := g.crowd.arrived
	g.actors[u].enter(g.rng, g.p.Links)
	g.crowd.arrived++
	g.crowd.alive++
	return int32(u)
}

// reachable returns the number of destinations that exist so far: all items, or
// the accounts that have appeared.
func (g *Generator) reachable() int {
	if g.p.bipartite() {
		return g.p.Items
	}
	return g.crowd.arrived
}

// destination draws the destination of u's event.
func (g *Generator) destination(u int32) int32 {
	a := &g.actors[u]
	if !g.p.bipartite() && (g.crowd.arrived == 1 || g.rng.Float64() < g.crowd.arrival(1)) {
		return g.enter()
	}
	if a.known == 0 || g.rng.Float64() < float64(a.roam) {
		return g.explore(u)
	}
	if a.known == 1 || g.rng.Float64() < g.p.Links.Same {
		return a.recent[0]
	}
	// Each of the recent ones is half as likely as the one after it.
	at := 1
	for coins := g.rng.Uint64(); at < int(a.known)-1 && coins&1 == 1; coins >>= 1 {
		at++
	}
	return a.recent[at]
}

// explore draws a topic by u's preferences, then one of the topic's
// destinations.
func (g *Generator) explore(u int32) int32 {
	var weights [maxTopics]float64
	z := g.p.Links.preference(&g.actors[u])
	topics := weights[:len(g.centroids)]
	total := topicWeights(g.centroids, z, g.reachable(), topics)
	for {
		left := g.rng.Float64() * total
		topic := 0
		for topic < len(topics)-1 && left >= topics[topic] {
			left -= topics[topic]
			topic++
		}
		v := g.member(topic)
		if v >= 0 && (v != u || g.p.bipartite()) {
			return v
		}
	}
}

// maxTopics bounds Links.Topics.
const maxTopics = 64

// preference returns an actor's preference for topics, from taste and mood.
func (l Links) preference(a *actor) (z [dims]float64) {
	for i := range z {
		z[i] = float64(l.Taste*float64(a.taste[i])) + float64(l.Mood*float64(a.mood[i]))
	}
	return z
}

// topicWeights computes exp(z . centroid) for every topic that has a destination
// among the reachable ones, 0 for the others, and returns the sum.
func topicWeights(centroids [][dims]float64, z [dims]float64, reachable int, weights []float64) (total float64) {
	for i := range weights {
		if weights[i] = 0; i >= reachable {
			continue
		}
		dot := 0.0
		for d, c := range centroids[i] {
			dot += float64(z[d] * c)
		}
		weights[i] = math.Exp(dot)
		total += weights[i]
	}
	return total
}

// topicSize returns the number of reachable destinations of a topic: topic i has
// the destinations i, i+topics, i+2 topics ...
func topicSize(reachable, topic, topics int) int { return (reachable - topic + topics - 1) / topics }

// member draws one of a topic's destinations, by popularity or uniformly; -1 if
// there is none.
func (g *Generator) member(topic int) int32 {
	topics := len(g.centroids)
	n := topicSize(g.reachable(), topic, topics)
	if n <= 0 {
		return -1
	}
	x := g.rng.Float64()
	if g.rng.Float64() < g.p.Links.Skew {
		x *= x
	}
	place := min(int(x*float64(n)), n-1)
	return int32(topic + topics*((place+g.next/g.p.Links.Epoch)%n))
}

// popularity returns the probability that member draws the destination at a
// place, after the order has moved on by `epoch` places.
func (l Links) popularity(member, n, epoch int) float64 {
	place := float64((member - epoch%n + n) % n)
	count := float64(n)
	return (1-l.Skew)/count + l.Skew*(math.Sqrt((place+1)/count)-math.Sqrt(place/count))
}
