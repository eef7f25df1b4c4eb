package pairclock

import "math"

// Columns of a row. Those of a destination have one more for each half-life, behind
// the first.
const (
	sourceColumns      = 5
	destinationColumns = 6 // and the half-lives
	pairColumns        = 9
	nextColumns        = 3
)

func (c *clocks) columns() int {
	return sourceColumns + destinationColumns + len(c.halfLives) + pairColumns + nextColumns
}

// logOf is log(1+x), 0 for negative x: of an interval in seconds, or of a count.
func logOf(x float64) float32 { return float32(math.Log1p(max(x, 0))) }

// decayedLog is the logarithm of a sum of 2^-(age/halfLife) over events, at least
// about .001, from its log2 at time 0 and the present time in half-lives.
func decayedLog(log2, now float64) float32 {
	const least, most = -10, 60
	return float32(max(least, min(most, log2-now)) * math.Ln2)
}

func flag(is bool) float32 {
	if is {
		return 1
	}
	return 0
}

func share(part, of int32) float32 { return float32(part) / float32(of) }

// rows writes a row of columns for each destination, none of them twice, of an event
// of the source at that time. All numbers are finite, and about 1 where there is a
// history.
func (c *clocks) rows(src int32, time float64, destinations []int32, x []float32) {
	cols := c.columns()
	ofDestination, ofPair, ofNext := sourceColumns, cols-nextColumns-pairColumns, cols-nextColumns
	var own [sourceColumns]float32
	c.source(src, time, own[:])
	for i, v := range destinations {
		row := x[i*cols:][:cols]
		copy(row, own[:])
		clear(row[ofDestination:])
		c.destination(v, time, row[ofDestination:])
		c.place[v] = int32(i) + 1
	}
	s := &c.sources[src]
	for i, p := range s.pairs {
		if at := int(c.place[p.dst]) - 1; at >= 0 {
			c.pair(src, i, time, x[at*cols+ofPair:])
		}
	}
	if latest := s.latest(); latest != nil {
		c.next(latest.dst, len(destinations), x[ofNext:])
	}
	for _, v := range destinations {
		c.place[v] = 0
	}
}

// source describes the source: the time since its last event, its events, how often
// it stays with its destination, how many it has, whether it is new.
func (c *clocks) source(src int32, time float64, x []float32) {
	s := &c.sources[src]
	latest := s.latest()
	if latest == nil {
		x[4] = 1
		return
	}
	x[0] = logOf(time-latest.time) / 10
	x[1] = logOf(float64(s.events)) / 4
	x[2] = share(c.stays[src], s.events)
	x[3] = logOf(float64(len(s.pairs))) / 4
}

// destination describes a destination: the time since its last event, its popularity
// at each half-life, its events, how often the same source comes again, how many it
// has, whether it is new, whether it ever was a source.
func (c *clocks) destination(v int32, time float64, x []float32) {
	d, n := &c.destinations[v], len(c.halfLives)
	x[n+5] = flag(c.sources[v].events > 0)
	if d.events == 0 {
		x[n+4] = 1
		return
	}
	x[0] = logOf(time-c.times[v]) / 10
	for i, log2 := range c.popularityOf(v) {
		x[1+i] = decayedLog(log2, ages(time, c.halfLives[i])) / 5
	}
	x[n+1] = logOf(float64(d.events)) / 4
	x[n+2] = share(c.returns[v], d.events)
	x[n+3] = logOf(float64(d.sources)) / 4
}

// pair describes pair i of the source: that there is one, time since its last event,
// how many other destinations came since, its events, these decayed and as a share
// of the source's, how many of the source's came since, whether the destination's
// last event was of this source, and the source's of this destination.
func (c *clocks) pair(src int32, i int, time float64, x []float32) {
	s := &c.sources[src]
	p, since := &s.pairs[i], len(s.pairs)-1-i
	x[0] = 1
	x[1] = logOf(time-p.time) / 10
	x[2] = logOf(float64(since)) / 2
	x[3] = logOf(float64(p.events)) / 3
	x[4] = decayedLog(p.decayed, ages(time, c.pairHalfLife)) / 5
	x[5] = share(p.events, s.events)
	x[6] = logOf(float64(s.events-1-p.at)) / 3
	x[7] = flag(c.last[p.dst] == src)
	x[8] = flag(since == 0)
}

// next describes how often sources took each destination after the source's last
// one, by number and as a share, and how often the same source came to that again.
// rows is how many rows there are.
func (c *clocks) next(last int32, rows int, x []float32) {
	cols, events := c.columns(), c.destinations[last].events
	returned := share(c.returns[last], events)
	for i := range rows {
		x[i*cols+2] = returned
	}
	for _, n := range c.destinations[last].next {
		if at := int(c.place[n.dst]) - 1; at >= 0 {
			row := x[at*cols:]
			row[0], row[1] = logOf(float64(n.events))/3, share(n.events, events)
		}
	}
}
