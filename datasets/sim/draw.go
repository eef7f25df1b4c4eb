package sim

import (
	"math"
	"math/bits"
)

const (
	// memory is the number of past events from which a source can be drawn, a
	// power of two.
	memory = 1 << 16
	// paceEvery is the number of events between updates of the pace of arrivals.
	paceEvery = 1024
)

// arrival returns the probability that a newcomer takes the next of the `open`
// places in the present event, so that all users will have appeared at the end
// (selection sampling along the curve of arrivals).
func (g *Generator) arrival(open int) float64 {
	if g.next%paceEvery == 0 {
		g.pace = 1
		if x, e := float64(g.next)/float64(g.p.Events), g.p.Activity.Arrival; x > 0 && e != 1 {
			g.pace = e * math.Pow(x, e-1) * (1 - x) / (1 - math.Pow(x, e))
		}
	}
	places := open + g.slots*(g.p.Events-g.next-1)
	missing := g.p.Users - g.arrived
	if missing >= places {
		return 1
	}
	return g.pace * float64(missing) / float64(places)
}

// lag draws the number of events to go back, from 1.
func (g *Generator) lag() int {
	if g.rng.Float64() < g.p.Activity.Session {
		return 1 + int(g.p.Activity.Lag*g.rng.ExpFloat64())
	}
	octave := g.rng.IntN(bits.Len(memory) - 1)
	return 1<<octave + g.rng.IntN(1<<octave)
}

// source draws the source of the next event.
func (g *Generator) source() int32 {
	if g.alive == 0 || g.rng.Float64() < g.arrival(g.slots) {
		return g.enter()
	}
	if g.rng.Float64() < g.p.Activity.Anyone {
		return g.anyone()
	}
	const tries = 64
	for range tries {
		lag := g.lag()
		if lag > g.next || lag > memory {
			continue
		}
		from := g.sources
		if g.receivers != nil && g.rng.Float64() < g.p.Activity.Forward {
			from = g.receivers
		}
		if u := from[(g.next-lag)%memory]; !g.actors[u].gone {
			return u
		}
	}
	return g.anyone()
}

// anyone draws one of the nodes that can act.
func (g *Generator) anyone() int32 {
	for {
		if u := g.rng.IntN(g.arrived); !g.actors[u].gone {
			return int32(u)
		}
	}
}

// enter adds the next newcomer.
func (g *Generator) enter() int32 {
	u := g.arrived
	g.actors[u].enter(g.rng, g.p.Links)
	g.arrived++
	g.alive++
	return int32(u)
}

// reachable returns the number of destinations that exist so far: all items, or
// the accounts that have appeared.
func (g *Generator) reachable() int {
	if g.p.bipartite() {
		return g.p.Items
	}
	return g.arrived
}

// destination draws the destination of u's event.
func (g *Generator) destination(u int32) int32 {
	a := &g.actors[u]
	if !g.p.bipartite() && (g.arrived == 1 || g.rng.Float64() < g.arrival(1)) {
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

// explore draws a topic by u's preferences, then one of the topic's destinations.
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
