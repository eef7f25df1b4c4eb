package sim

import (
	"sync"
	"unsafe"

	"dgsbench/datasets"
)

// linkFact is the state before an event that determines its destination.
type linkFact struct {
	source, reachable int32
	recent            [numRecent]int32
	known             int8
	preference        [dims]float32
	roam              float32
	arrival           float32 // probability of a new account
}

// truth generates the stream again when it is first asked, and collects the
// facts.
type truth struct {
	p         Params
	centroids [][dims]float64
	logits    func() []float32
	links     func() []linkFact
}

func newTruth(p Params, seed uint64, centroids [][dims]float64) *truth {
	p.Features = 0 // which affect nothing
	return &truth{
		p: p, centroids: centroids,
		logits: replay(p, seed, func(g *Generator, add func(float32)) {
			g.onLabel = func(logit float64) { add(float32(logit)) }
		}),
		links: replay(p, seed, func(g *Generator, add func(linkFact)) {
			g.onLink = func(u int32) { add(g.linkFact(u)) }
		}),
	}
}

// replay returns a function that generates the stream again, once, and returns
// what was added at each event. setup makes the generator add it.
func replay[T any](p Params, seed uint64, setup func(g *Generator, add func(T))) func() []T {
	return sync.OnceValue(func() []T {
		facts := make([]T, 0, p.Events)
		g := New(p, seed)
		setup(g, func(fact T) { facts = append(facts, fact) })
		for range g.Chunks(memory) {
		}
		return facts
	})
}

// linkFact returns the fact of the next event, which has source u.
func (g *Generator) linkFact(u int32) linkFact {
	a := &g.actors[u]
	fact := linkFact{source: u, reachable: int32(g.reachable()), recent: a.recent, known: a.known, roam: a.roam}
	if a.events > 0 { // the taste of a newcomer is unknown
		for i, z := range g.p.Links.preference(a) {
			fact.preference[i] = float32(z)
		}
	}
	if !g.p.bipartite() {
		fact.arrival = float32(g.arrival(1))
	}
	return fact
}

// Bytes implements datasets.Truth: the facts, and generating the stream again.
func (t *truth) Bytes(links bool) int64 {
	each := int64(unsafe.Sizeof(float32(0)))
	if links {
		each = int64(unsafe.Sizeof(linkFact{}))
	}
	return each*int64(t.p.Events) + t.p.bytes() + datasets.Bytes(min(memory, t.p.Events), 0)
}

// Logit implements datasets.Truth.
func (t *truth) Logit(event int) float64 { return float64(t.logits()[event]) }

// Links implements datasets.Truth: scores are probabilities.
func (t *truth) Links(event int, candidates []int32, scores []float32) {
	f := &t.links()[event]
	var z [dims]float64
	for i := range z {
		z[i] = float64(f.preference[i])
	}
	var weights [maxTopics]float64
	topics := weights[:len(t.centroids)]
	total := topicWeights(t.centroids, z, int(f.reachable), topics)
	for i := range topics {
		topics[i] /= total
	}
	for i, v := range candidates {
		if t.p.bipartite() {
			v -= int32(t.p.Users)
		}
		scores[i] = float32(t.probability(f, v, event, topics))
	}
}

// probability returns the probability that the event goes to destination v.
// (Accounts do not send to themselves when they explore. What that takes from the
// topic is left out, as it is the same for all of the topic's destinations.)
func (t *truth) probability(f *linkFact, v int32, event int, topics []float64) float64 {
	l, known := t.p.Links, 1-float64(f.arrival)
	switch {
	case v < 0 || v == f.source && !t.p.bipartite():
		return 0
	case v >= f.reachable: // a newcomer, any of those to come
		return float64(f.arrival) / float64(t.p.Users-int(f.reachable))
	}
	topic := int(v) % len(topics)
	n := topicSize(int(f.reachable), topic, len(topics))
	explored := topics[topic] * l.popularity(int(v)/len(topics), n, event/l.Epoch)
	if f.known == 0 {
		return known * explored
	}
	roam := float64(f.roam)
	return known * (roam*explored + (1-roam)*l.returning(f, v))
}

// returning returns the probability of v for a source that does not explore.
func (l Links) returning(f *linkFact, v int32) float64 {
	switch {
	case v != f.recent[0]:
	case f.known == 1:
		return 1
	default:
		return l.Same
	}
	chance := 1 - l.Same
	for at := 1; at < int(f.known); at++ {
		if last := at == int(f.known)-1; !last {
			chance /= 2
		}
		if f.recent[at] == v {
			return chance
		}
	}
	return 0
}
