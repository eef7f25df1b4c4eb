package sim

import (
	"iter"
	"math"
	"math/rand/v2"

	"dgsbench/datasets"
)

// dims is the length of tastes, moods and factors.
const dims = 8

// Generator makes a stream event by event. It holds the state of the nodes,
// not the events.
type Generator struct {
	p     Params
	rng   *rand.Rand // decides events
	noise *rand.Rand // is seen in features only, so that their number changes nothing else

	actors    []actor
	targets   []target
	centroids [][dims]float64 // of the topics
	columns   []column
	hidden    [numHidden]float32 // what the event's features are made of
	crowd     crowd
	odds      odds

	next  int     // number of the next event
	clock float64 // its time, seconds

	chunk datasets.Stream // memory of Next
	diary diary           // writes the truth down where it is asked for
}

// New starts the stream of the parameters and the seed.
func New(p Params, seed uint64) *Generator {
	g := &Generator{
		p: p, rng: rand.New(rand.NewPCG(seed, 1)), noise: rand.New(rand.NewPCG(seed, 2)),
		actors: make([]actor, p.Users), targets: make([]target, p.targets()),
		centroids: make([][dims]float64, min(p.Links.Topics, p.targets())), columns: newColumns(p.Features),
	}
	for i := range g.centroids {
		g.centroids[i] = direction(g.rng)
	}
	for v := range g.targets {
		g.targets[v].enter(g.rng, g.centroids[v%len(g.centroids)])
	}
	g.crowd, g.odds = newCrowd(p), newOdds(p)
	return g
}

// direction is a random unit vector.
func direction(rng *rand.Rand) [dims]float64 {
	var out [dims]float64
	length := 0.0
	for i := range out {
		out[i] = rng.NormFloat64()
		length += float64(out[i] * out[i])
	}
	for i := range out {
		out[i] /= math.Sqrt(length)
	}
	return out
}

// Generate is the whole stream at once, with its truth.
func Generate(p Params, seed uint64) datasets.Stream {
	g := New(p, seed)
	s := g.Next(p.Events)
	s.Truth = newTruth(p, seed, g.centroids)
	return s
}

// Chunks are consecutive windows of the stream of at most size events. Each
// overwrites the one before.
func (g *Generator) Chunks(size int) iter.Seq[datasets.Stream] {
	return func(yield func(datasets.Stream) bool) {
		for g.next < g.p.Events {
			if !yield(g.Next(size)) {
				return
			}
		}
	}
}

// Next is the window of the next n events, fewer at the end of the stream. It
// overwrites the window before. Events are numbered as in the whole stream.
func (g *Generator) Next(n int) datasets.Stream {
	n = min(n, g.p.Events-g.next)
	if g.chunk.Len() < n {
		g.chunk = g.empty(n)
	}
	first := g.next
	s := g.chunk.Slice(0, n)
	for k := range n {
		g.event(s, k)
	}
	return s.From(first)
}

func (g *Generator) empty(n int) datasets.Stream {
	s := datasets.Stream{
		Src: make([]int32, n), Dst: make([]int32, n), Time: make([]float64, n), Label: make([]int8, n),
		Feat: make([]float32, n*g.p.Features), NumFeat: g.p.Features, NumNodes: g.p.nodes(),
	}
	if g.p.bipartite() {
		s.Users = g.p.Users
	}
	return s
}

// event makes the next event and writes it to place k of s.
func (g *Generator) event(s datasets.Stream, k int) {
	u := g.source()
	a := &g.actors[u]
	g.diary.beforeLink(g, u)
	v := g.destination(u)
	t := &g.targets[v]

	tone := a.act(g.rng, &g.hidden)
	t.drift(g.rng, &g.hidden, g.centroids[int(v)%len(g.centroids)])
	logit := g.odds.logit(a, t, tone)
	g.diary.afterLabel(logit)
	label := g.odds.draw(g.rng, logit, g.p.Events-g.next, !g.p.Terminal || g.crowd.more())
	if label == 1 && g.p.Terminal {
		a.gone = true
		g.crowd.alive--
	}
	a.remember(v)
	g.crowd.remember(u, v)
	g.write(s, k, u, v, label)
}

// write puts the event down and moves the clock on.
func (g *Generator) write(s datasets.Stream, k int, u, v int32, label int8) {
	s.Src[k], s.Dst[k], s.Label[k] = u, v, label
	if g.p.bipartite() {
		s.Dst[k] += int32(g.p.Users)
	}
	s.Time[k] = math.Floor(g.clock)
	g.clock += float64(g.p.Span / float64(g.p.Events) * g.rng.ExpFloat64()) // rounded before the sum, see mul
	row := s.Feat[k*s.NumFeat : (k+1)*s.NumFeat]
	for c := range row {
		row[c] = g.columns[c].value(&g.hidden) + float32(g.p.Noise*g.noise.NormFloat64())
	}
	g.next++
}
