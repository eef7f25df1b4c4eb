// Package sim makes event streams with a planted, documented signal, for
// where there is no data. A stream is a function of its Params and a seed.
//
// Every event has a source with hidden state (its taste, its mood, its trait)
// that changes from event to event and is, with noise, in the features. The
// next destination is the one before, a remembered one, or one that fits
// taste and mood. A label follows averages of the source's tones over few and
// over many of its events, and the average tone of those whom the destination
// met. docs/simulators.md holds the equations, the calibration and the
// strength of the signal.
//
// No parameter is tuned to make a model win: they were set by the statistics
// in docs/simulators.md, the zero-parameter rows and the oracle, and then
// frozen. The tests in frozen_test.go pin what comes out.
package sim

import (
	"iter"
	"math"
	"math/rand/v2"

	"dgsbench/datasets"
)

// dims is the length of tastes, moods and factors.
const dims = 8

// Generator generates a stream event by event. It holds the state of the nodes,
// not the events.
type Generator struct {
	p     Params
	rng   *rand.Rand // for events
	noise *rand.Rand // for features only, so that their number changes nothing else

	actors    []actor
	targets   []target
	centroids [][dims]float64 // of the topics
	columns   []column
	hidden    [numHidden]float32 // inputs of the event's features
	odds      odds

	next  int     // number of the next event
	clock float64 // its time, seconds

	sources   []int32 // of the last events, by number modulo memory
	receivers []int32 // the same; nil in a bipartite stream
	slots     int     // places for a newcomer in an event: 1 if bipartite, else 2
	arrived   int     // nodes that have appeared; they are numbered in this order
	alive     int     // sources among them that can still act
	pace      float64 // arrivals as a multiple of a steady rate

	chunk datasets.Stream // buffer of Next

	// For the truth: called before an event of source u gets its destination, and
	// with the log-odds of every label. They may be nil.
	onLink  func(u int32)
	onLabel func(logit float64)
}

// New returns the generator of the stream with these parameters and seed.
func New(p Params, seed uint64) *Generator {
	g := &Generator{
		p: p, rng: rand.New(rand.NewPCG(seed, 1)), noise: rand.New(rand.NewPCG(seed, 2)),
		actors: make([]actor, p.Users), targets: make([]target, p.targets()),
		centroids: make([][dims]float64, min(p.Links.Topics, p.targets())), columns: newColumns(p.Features),
		odds: newOdds(p), sources: make([]int32, memory), slots: 1, pace: 1,
	}
	if !p.bipartite() {
		g.receivers, g.slots = make([]int32, memory), 2
	}
	for i := range g.centroids {
		g.centroids[i] = direction(g.rng)
	}
	for v := range g.targets {
		g.targets[v].enter(g.rng, g.centroids[v%len(g.centroids)])
	}
	return g
}

// direction returns a random unit vector.
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

// Generate returns the whole stream, with its truth.
func Generate(p Params, seed uint64) datasets.Stream {
	g := New(p, seed)
	s := g.Next(p.Events)
	s.Truth = newTruth(p, seed, g.centroids)
	return s
}

// Chunks returns consecutive windows of the stream of at most size events. Each
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

// Next returns the window of the next n events, fewer at the end of the stream.
// It overwrites the previous window. Events are numbered as in the whole stream.
func (g *Generator) Next(n int) datasets.Stream {
	n = min(n, g.p.Events-g.next)
	if g.chunk.Len() < n {
		g.chunk = datasets.NewStream(n, g.p.Features)
		g.chunk.NumNodes = g.p.Users + g.p.Items
		if g.p.bipartite() {
			g.chunk.Users = g.p.Users
		}
	}
	first := g.next
	s := g.chunk.Slice(0, n)
	for k := range n {
		g.event(s, k)
	}
	return s.From(first)
}

// event generates the next event as event k of s.
func (g *Generator) event(s datasets.Stream, k int) {
	u := g.source()
	a := &g.actors[u]
	if g.onLink != nil {
		g.onLink(u)
	}
	v := g.destination(u)
	t := &g.targets[v]

	tone := a.act(g.rng, &g.hidden)
	t.drift(g.rng, &g.hidden, g.centroids[int(v)%len(g.centroids)])
	logit := g.odds.logit(a, t, tone)
	if g.onLabel != nil {
		g.onLabel(logit)
	}
	anotherCanAct := g.alive > 1 || g.arrived < g.p.Users
	label := g.odds.draw(g.rng, logit, g.p.Events-g.next, !g.p.Terminal || anotherCanAct)
	if label == 1 && g.p.Terminal {
		a.gone = true
		g.alive--
	}
	a.visit(v)
	g.sources[g.next%memory] = u
	if g.receivers != nil {
		g.receivers[g.next%memory] = v
	}
	g.write(s, k, u, v, label)
}

// write writes the event to s and advances the clock.
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

// Places of the hidden state in the inputs of features.
const (
	atTone    = 0
	atImpulse = atTone + 1 // that changes the mood
	atTaste   = atImpulse + dims
	atFactor  = atTaste + dims // of the destination
	numHidden = atFactor + dims
)

// column is a feature: one hidden number plus half another, and noise.
type column struct{ one, other int }

// newColumns cycles through the hidden numbers: the tone, then one of each
// group in turn. The second number of a column is nine places further, and one
// more in each cycle, so that 16 columns already contain all of them.
func newColumns(n int) []column {
	order := []int{atTone}
	for i := range dims {
		order = append(order, atImpulse+i, atTaste+i, atFactor+i)
	}
	out := make([]column, n)
	for c := range out {
		out[c] = column{order[c%len(order)], order[(c+9+c/len(order)%8)%len(order)]}
	}
	return out
}

func (c column) value(h *[numHidden]float32) float32 { return h[c.one] + h[c.other]/2 }
