package sim

import (
	"sync"
	"unsafe"

	"dgsbench/datasets"
)

// diary writes the hidden state at every event down, as far as answers need
// it. Without pages it writes nothing.
type diary struct {
	logits *[]float32
	links  *[]linkFact
}

// linkFact is what decides an event's destination, before the event.
type linkFact struct {
	source, reachable int32
	recent            [remembered]int32
	known             int8
	pull              [dims]float32
	roam              float32
	arrival           float32 // chance of a new account
}

func (d diary) beforeLink(g *Generator, u int32) {
	if d.links == nil {
		return
	}
	a := &g.actors[u]
	fact := linkFact{source: u, reachable: int32(g.reachable()), recent: a.recent, known: a.known, roam: a.roam}
	if a.events > 0 { // nobody knows the taste of a newcomer
		for i, z := range g.p.Links.pull(a) {
			fact.pull[i] = float32(z)
		}
	}
	if !g.p.bipartite() {
		fact.arrival = float32(g.crowd.arrival(1))
	}
	*d.links = append(*d.links, fact)
}

func (d diary) afterLabel(logit float64) {
	if d.logits != nil {
		*d.logits = append(*d.logits, float32(logit))
	}
}

// truth answers from facts that it gathers when it is first asked, by making
// the stream again.
type truth struct {
	p         Params
	centroids [][dims]float64
	logits    func() []float32
	links     func() []linkFact
}

var _ datasets.Truth = (*truth)(nil)

func newTruth(p Params, seed uint64, centroids [][dims]float64) *truth {
	p.Features = 0 // they decide nothing
	again := func(d diary) {
		g := New(p, seed)
		g.diary = d
		for range g.Chunks(memory) {
		}
	}
	return &truth{
		p: p, centroids: centroids,
		logits: sync.OnceValue(func() []float32 {
			out := make([]float32, 0, p.Events)
			again(diary{logits: &out})
			return out
		}),
		links: sync.OnceValue(func() []linkFact {
			out := make([]linkFact, 0, p.Events)
			again(diary{links: &out})
			return out
		}),
	}
}

// Bytes implements datasets.Truth: the facts, and making the stream again.
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
		z[i] = float64(f.pull[i])
	}
	var weights [maxTopics]float64
	topics := weights[:len(t.centroids)]
	total := suit(t.centroids, z, int(f.reachable), topics)
	for i := range topics {
		topics[i] /= total
	}
	for i, v := range candidates {
		if t.p.bipartite() {
			v -= int32(t.p.Users)
		}
		scores[i] = float32(t.chance(f, v, event, topics))
	}
}

// chance is the probability that the event goes to destination v. (Accounts
// do not send to themselves when they explore; what that takes from the topic
// is left out, as it is the same for all of the topic's destinations.)
func (t *truth) chance(f *linkFact, v int32, event int, topics []float64) float64 {
	l, known := t.p.Links, 1-float64(f.arrival)
	switch {
	case v < 0 || v == f.source && !t.p.bipartite():
		return 0
	case v >= f.reachable: // a newcomer, any of those to come
		return float64(f.arrival) / float64(t.p.Users-int(f.reachable))
	}
	topic := int(v) % len(topics)
	n := size(int(f.reachable), topic, len(topics))
	explored := topics[topic] * l.popularity(int(v)/len(topics), n, event/l.Epoch)
	if f.known == 0 {
		return known * explored
	}
	roam := float64(f.roam)
	return known * (roam*explored + (1-roam)*l.again(f, v))
}

// again is the chance to return to v for a source that does not explore.
func (l Links) again(f *linkFact, v int32) float64 {
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
