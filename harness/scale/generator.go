package scale

import (
	"math/rand/v2"

	"dgsbench/datasets"
	"dgsbench/nn"
)

// What decides how often events meet the same nodes. With 10,000 nodes,
// about as many of a batch of 200 are different as on Wikipedia (148).
const (
	session   = .7  // chance that the user of one of the last events acts again
	sessions  = 64  // how many the last events are
	returning = .8  // chance that a user goes where it went last
	items     = 10  // one node of this number is a destination, the others are users
	positive  = .1  // share of label 1
	pause     = 17. // seconds between events, on average: Wikipedia's

	minNodes = items
	maxNodes = 100_000_000 // more would not leave room for a model
)

// Random streams of the generator. Features have one of their own, so that
// their number does not change who meets whom.
const (
	forEvents   nn.Purpose = "scale: events"
	forFeatures nn.Purpose = "scale: features"
)

// Generator generates an endless bipartite stream: users and destinations have
// heavy tails, users act in sessions and return to their last destination, with
// the same statistics everywhere along the stream. It keeps a number for each
// node and the last chunk, never the events.
type Generator struct {
	rng, noise *rand.Rand
	users      int
	last       []int32         // destination of a user's last event, 0 for none
	recent     [sessions]int32 // users of the last events, by number modulo sessions
	seen       []bool          // nodes
	met        int             // number of those

	next  int     // number of the next event
	clock float64 // its time, seconds
	chunk datasets.Stream
}

// NewGenerator returns the stream of a seed, with 10 nodes or more.
func NewGenerator(nodes, features int, seed uint64) *Generator {
	users := nodes - nodes/items
	return &Generator{
		rng: nn.Rand(seed, forEvents), noise: nn.Rand(seed, forFeatures),
		users: users, last: make([]int32, users), seen: make([]bool, nodes),
		chunk: datasets.Stream{NumNodes: nodes, Users: users, NumFeat: features},
	}
}

// Next returns the next n events, numbered as in the whole stream. It overwrites
// those before. The sizes of chunks do not change the stream.
func (g *Generator) Next(n int) datasets.Stream {
	g.reserve(n)
	s := g.chunk.Slice(0, n).From(g.next)
	for k := range n {
		g.event(s, k)
	}
	for i := range s.Feat {
		s.Feat[i] = float32(g.noise.NormFloat64())
	}
	return s
}

// reserve allocates a chunk of n events.
func (g *Generator) reserve(n int) {
	c := &g.chunk
	if c.Len() >= n {
		return
	}
	c.Src, c.Dst = make([]int32, n), make([]int32, n)
	c.Time, c.Label = make([]float64, n), make([]int8, n)
	c.Feat = make([]float32, n*c.NumFeat)
}

// event writes the next event to index k of s.
func (g *Generator) event(s datasets.Stream, k int) {
	u := g.actor()
	v := g.last[u]
	if v == 0 || g.rng.Float64() >= returning {
		v = int32(g.users) + g.popular(len(g.seen)-g.users)
		g.last[u] = v
	}
	s.Src[k], s.Dst[k], s.Time[k], s.Label[k] = u, v, g.clock, 0
	if g.rng.Float64() < positive {
		s.Label[k] = 1
	}
	g.countNode(u)
	g.countNode(v)
	g.recent[g.next%sessions] = u
	g.clock += pause * g.rng.ExpFloat64()
	g.next++
}

// actor returns the user of the next event.
func (g *Generator) actor() int32 {
	if g.next >= sessions && g.rng.Float64() < session {
		return g.recent[g.rng.IntN(sessions)]
	}
	return g.popular(g.users)
}

// popular draws one of n, the first ones far more often than the last ones.
func (g *Generator) popular(n int) int32 {
	x := g.rng.Float64()
	return int32(float64(n) * x * x * x)
}

// countNode counts a node the first time it occurs.
func (g *Generator) countNode(node int32) {
	if !g.seen[node] {
		g.seen[node] = true
		g.met++
	}
}
