package sim

import "math"

// reachable is how many destinations exist so far: all items, or the
// accounts that have appeared.
func (g *Generator) reachable() int {
	if g.p.bipartite() {
		return g.p.Items
	}
	return g.crowd.arrived
}

// destination decides where u's event goes.
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

// explore draws a topic that suits u, then one of the topic's destinations.
func (g *Generator) explore(u int32) int32 {
	var weights [maxTopics]float64
	z := g.p.Links.pull(&g.actors[u])
	topics := weights[:len(g.centroids)]
	total := suit(g.centroids, z, g.reachable(), topics)
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

// pull is what draws an actor to topics, of taste and mood.
func (l Links) pull(a *actor) (z [dims]float64) {
	for i := range z {
		z[i] = float64(l.Taste*float64(a.taste[i])) + float64(l.Mood*float64(a.mood[i]))
	}
	return z
}

// suit writes exp(z . centroid) for every topic that has a destination among
// the reachable ones, 0 for the others, and returns the sum.
func suit(centroids [][dims]float64, z [dims]float64, reachable int, weights []float64) (total float64) {
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

// size is how many of the reachable destinations belong to a topic: they go
// round, so that topic i has i, i+topics, i+2 topics ...
func size(reachable, topic, topics int) int { return (reachable - topic + topics - 1) / topics }

// member draws one of a topic's destinations, by popularity or any; -1 if
// there is none.
func (g *Generator) member(topic int) int32 {
	topics := len(g.centroids)
	n := size(g.reachable(), topic, topics)
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

// popularity is the chance of member to take the destination at a place: the
// order begins anew at `epoch` places further.
func (l Links) popularity(member, n, epoch int) float64 {
	place := float64((member - epoch%n + n) % n)
	count := float64(n)
	return (1-l.Skew)/count + l.Skew*(math.Sqrt((place+1)/count)-math.Sqrt(place/count))
}
