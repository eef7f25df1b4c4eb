package sim

import (
	"sync"

	"dgsbench/datasets"
)

// facts are the hidden state at every event, as far as answers need it.
type facts struct {
	logits []float64
	links  []linkFact
}

// linkFact is the source's state before the event.
type linkFact struct {
	pull      [dims]float64
	recent    [remembered]int32
	known     int8
	source    int32
	reachable int32
	arrival   float64 // chance of a new account
}

func (f *facts) beforeLink(g *Generator, u int32) {
	if f == nil {
		return
	}
	a := &g.actors[u]
	fact := linkFact{recent: a.recent, known: a.known, source: u, reachable: int32(g.reachable())}
	if a.events > 0 { // nobody knows the taste of a newcomer
		fact.pull = g.p.Links.pull(a)
	}
	if !g.p.bipartite() {
		fact.arrival = g.crowd.arrival(1)
	}
	f.links = append(f.links, fact)
}

func (f *facts) afterLabel(logit float64) {
	if f != nil {
		f.logits = append(f.logits, logit)
	}
}

// truth answers from the facts, which it gathers when it is first asked by
// making the stream again.
type truth struct {
	p    Params
	seed uint64

	once  sync.Once
	facts facts
	start *Generator // for what does not change
}

var _ datasets.Truth = (*truth)(nil)

func (t *truth) gather() {
	p := t.p
	p.Features = 0 // they decide nothing
	t.start = New(p, t.seed)
	g := New(p, t.seed)
	g.facts = &t.facts
	for range g.Chunks(memory) {
	}
}

// Logit implements datasets.Truth.
func (t *truth) Logit(event int) float64 {
	t.once.Do(t.gather)
	return t.facts.logits[event]
}

// Links implements datasets.Truth: scores are chances, up to a factor.
func (t *truth) Links(event int, candidates []int32, scores []float32) {
	t.once.Do(t.gather)
	f := &t.facts.links[event]
	var weights [maxTopics]float64
	centroids := t.start.centroids
	topics := weights[:len(centroids)]
	total := suit(centroids, f.pull, int(f.reachable), topics)
	for i, node := range candidates {
		v := node
		if t.p.bipartite() {
			v -= int32(t.p.Users)
		}
		scores[i] = float32(t.chance(f, v, event, topics, total))
	}
}

// chance that the event goes to destination v.
func (t *truth) chance(f *linkFact, v int32, event int, topics []float64, total float64) float64 {
	l := t.p.Links
	switch {
	case v < 0 || v == f.source && !t.p.bipartite():
		return 0
	case v >= f.reachable: // a newcomer, any of those to come
		return f.arrival / float64(t.p.Users-int(f.reachable))
	}
	topic := int(v) % len(topics)
	n := size(int(f.reachable), topic, len(topics))
	chance := topics[topic] / total * l.popularity(int(v)/len(topics), n, event/l.Epoch)
	if f.known == 0 {
		return (1 - f.arrival) * chance
	}
	chance = (1-l.Same-l.Recent)*chance + l.again(f, v)
	return (1 - f.arrival) * chance
}

// again is the chance to return to v because it is remembered.
func (l Links) again(f *linkFact, v int32) float64 {
	if v == f.recent[0] {
		if f.known == 1 {
			return l.Same + l.Recent
		}
		return l.Same
	}
	chance := l.Recent
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
