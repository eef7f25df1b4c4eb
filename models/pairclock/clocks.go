package pairclock

import (
	"math"
	"slices"

	"dgsbench/datasets"
)

// clocks are what the model keeps of a stream, all of it counts and times.
type clocks struct {
	halfLives    []float64 // seconds
	pairHalfLife float64

	sources      []source
	destinations []destination
	stays        []int32   // events of a source whose destination was that of its event before
	returns      []int32   // events of a destination whose source was that of its event before
	last         []int32   // source of a destination's last event
	times        []float64 // of a destination's last event, seconds
	popularity   []float64 // a row of len(halfLives) a destination: log2 of the sum of 2^(time/halfLife) over its events
	place        []int32   // scratch: row of a node, +1
}

// source is what is kept of a node as a source.
type source struct {
	pairs  []pair // by their last events, the latest last
	events int32
}

// latest is the source's pair of its last event, nil without one.
func (s *source) latest() *pair {
	if len(s.pairs) == 0 {
		return nil
	}
	return &s.pairs[len(s.pairs)-1]
}

// pair is what is kept of a source and this destination.
type pair struct {
	dst     int32
	events  int32
	at      int32   // number of its last event among those of the source
	time    float64 // of its last event, seconds
	decayed float64 // log2 of the sum of 2^(time/pairHalfLife) over its events
}

// destination is what is kept of a node as a destination.
type destination struct {
	next    []successor // what sources took after it, but for itself
	events  int32
	sources int32 // different ones
}

type successor struct{ dst, events int32 }

func newClocks(o *Options, nodes int) *clocks {
	c := &clocks{
		halfLives: o.HalfLives, pairHalfLife: o.PairHalfLife,
		sources: make([]source, nodes), destinations: make([]destination, nodes),
		stays: make([]int32, nodes), returns: make([]int32, nodes), last: make([]int32, nodes), times: make([]float64, nodes),
		popularity: make([]float64, nodes*len(o.HalfLives)), place: make([]int32, nodes),
	}
	c.reset()
	return c
}

func (c *clocks) reset() {
	clear(c.sources)
	clear(c.destinations)
	clear(c.stays)
	clear(c.returns)
	clear(c.last)
	clear(c.times)
	for i := range c.popularity {
		c.popularity[i] = noEvent
	}
}

// noEvent is the popularity of a destination without events. Times in half-lives
// are kept within half of that.
const noEvent = -1e300

// fold adds the batch, event by event.
func (c *clocks) fold(b datasets.Stream) {
	for k := range b.Len() {
		c.add(b.Src[k], b.Dst[k], b.Time[k])
	}
}

func (c *clocks) add(src, dst int32, time float64) {
	s, d := &c.sources[src], &c.destinations[dst]
	if latest := s.latest(); latest != nil && latest.dst == dst {
		c.stays[src]++
	} else if latest != nil {
		c.destinations[latest.dst].follow(dst)
	}
	p := pair{dst: dst, decayed: noEvent}
	if i := slices.IndexFunc(s.pairs, func(p pair) bool { return p.dst == dst }); i >= 0 {
		p = s.pairs[i]
		s.pairs = slices.Delete(s.pairs, i, i+1)
	} else {
		d.sources++
	}
	p.events, p.at, p.time, p.decayed = p.events+1, s.events, time, addLog2(p.decayed, ages(time, c.pairHalfLife))
	s.pairs = append(s.pairs, p)
	s.events++

	if d.events > 0 && c.last[dst] == src {
		c.returns[dst]++
	}
	c.last[dst], c.times[dst] = src, time
	d.events++
	for i, log2 := range c.popularityOf(dst) {
		c.popularityOf(dst)[i] = addLog2(log2, ages(time, c.halfLives[i]))
	}
}

// follow counts one that was taken after the destination.
func (d *destination) follow(dst int32) {
	i := slices.IndexFunc(d.next, func(n successor) bool { return n.dst == dst })
	if i < 0 {
		d.next, i = append(d.next, successor{dst: dst}), len(d.next)
	}
	d.next[i].events++
}

func (c *clocks) popularityOf(dst int32) []float64 {
	n := len(c.halfLives)
	return c.popularity[int(dst)*n:][:n]
}

// ages returns a time in half-lives.
func ages(time, halfLife float64) float64 {
	return max(noEvent/2, min(-noEvent/2, time/halfLife))
}

// addLog2 returns log2(2^a + 2^b).
func addLog2(a, b float64) float64 {
	return max(a, b) + math.Log2(1+math.Exp2(-math.Abs(a-b)))
}
