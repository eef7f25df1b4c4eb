package pairclock

import (
	"fmt"
	"math"
	"slices"

	"dgsbench/models"
	"dgsbench/nn"
)

// fields are the tables in snapshots. A pair is six numbers: source, destination,
// events, number of the last one among the source's, and the bits of its time and of
// the decayed sum. A successor is three: destination, the one after it, events.
func (m *Model) fields() models.Fields {
	c, n, nodes := m.clocks, m.noise, len(m.clocks.sources)
	return models.Fields{
		{
			Name: "pairs", Shape: []int{c.count(func(v int) int { return len(c.sources[v].pairs) }), 6}, AnyRows: true,
			Ints: func() (rows []int64) {
				for src, s := range c.sources {
					for _, p := range s.pairs {
						rows = append(rows, int64(src), int64(p.dst), int64(p.events), int64(p.at),
							int64(math.Float64bits(p.time)), int64(math.Float64bits(p.decayed)))
					}
				}
				return rows
			},
			Check: c.check, Set: c.setPairs,
		},
		{
			Name: "successors", Shape: []int{c.count(func(v int) int { return len(c.destinations[v].next) }), 3}, AnyRows: true,
			Ints: func() (rows []int64) {
				for v, d := range c.destinations {
					for _, n := range d.next {
						rows = append(rows, int64(v), int64(n.dst), int64(n.events))
					}
				}
				return rows
			},
			Set: func(saved models.Tensor) {
				for row := range slices.Chunk(saved.I64, 3) {
					d := &c.destinations[row[0]]
					d.next = append(d.next, successor{dst: int32(row[1]), events: int32(row[2])})
				}
			},
		},
		models.Integers("stays", c.stays, 0, math.MaxInt32),
		models.Integers("returns", c.returns, 0, math.MaxInt32),
		models.Integers("last", c.last, 0, int64(nodes-1)),
		models.Times("times", c.times, nn.Largest),
		models.Times("popularity", c.popularity, -noEvent, nodes, len(c.halfLives)),
		{
			Name: "recent", Shape: []int{len(n.recent)}, AnyRows: true,
			Ints:  func() []int64 { return models.Convert[int64](n.inOrder()) },
			Check: func(saved []models.Tensor) error { return n.check(saved[0].I64, nodes) },
			Set:   func(saved models.Tensor) { n.set(models.Convert[int32](saved.I64)) },
		},
	}
}

func (c *clocks) count(of func(node int) int) (total int) {
	for v := range c.sources {
		total += of(v)
	}
	return total
}

// setPairs replaces all that follows from pairs, and drops the successors.
func (c *clocks) setPairs(saved models.Tensor) {
	clear(c.sources)
	clear(c.destinations)
	for row := range slices.Chunk(saved.I64, 6) {
		p := pair{
			dst: int32(row[1]), events: int32(row[2]), at: int32(row[3]),
			time: math.Float64frombits(uint64(row[4])), decayed: math.Float64frombits(uint64(row[5])),
		}
		s, d := &c.sources[row[0]], &c.destinations[p.dst]
		s.pairs = append(s.pairs, p)
		s.events += p.events
		d.events += p.events
		d.sources++
	}
}

// mostEvents is how many events a snapshot may have, so that more can follow.
const mostEvents = 1 << 30

// check returns an error for pairs, successors and counts that no stream has.
func (c *clocks) check(saved []models.Tensor) error {
	pairs, successors, stays, returns := saved[0], saved[1], saved[2], saved[3]
	nodes, known := int64(len(c.sources)), map[[2]int64]bool{}
	ofSource, ofDestination, latest := make([]int64, nodes), make([]int64, nodes), make([]int64, nodes)
	total := int64(0)
	for row := range slices.Chunk(pairs.I64, 6) {
		src, dst, events, at := row[0], row[1], row[2], row[3]
		if min(src, dst) < 0 || max(src, dst) >= nodes || known[[2]int64{src, dst}] || events < 1 || events > mostEvents-total {
			return fmt.Errorf("snapshot tensor %s has %d events of %d and %d, expected one row for two of %d nodes, and at most %d events", pairs, events, src, dst, nodes, mostEvents)
		}
		if at < latest[src] { // which is that of the pair before, +1
			return fmt.Errorf("snapshot tensor %s has event %d of node %d behind event %d, expected an ascending order", pairs, at, src, latest[src]-1)
		}
		known[[2]int64{src, dst}], latest[src] = true, at+1
		ofSource[src], ofDestination[dst], total = ofSource[src]+events, ofDestination[dst]+events, total+events
		time, decayed := math.Float64frombits(uint64(row[4])), math.Float64frombits(uint64(row[5]))
		if !(math.Abs(time) <= nn.Largest) || !(math.Abs(decayed) <= -noEvent) {
			return fmt.Errorf("snapshot tensor %s has the time %v and the decayed sum 2^%v, expected numbers within ±%g and ±%g", pairs, time, decayed, nn.Largest, -noEvent)
		}
	}
	for v := range nodes {
		if latest[v] != ofSource[v] || stays.I64[v] > max(0, ofSource[v]-1) || returns.I64[v] > max(0, ofDestination[v]-1) {
			return fmt.Errorf("the snapshot has event %d as the last one of node %d, which stayed %d and was returned to %d times, with %d events as source and %d as destination",
				latest[v]-1, v, stays.I64[v], returns.I64[v], ofSource[v], ofDestination[v])
		}
	}
	clear(known)
	for row := range slices.Chunk(successors.I64, 3) {
		last, dst, events := row[0], row[1], row[2]
		if min(last, dst) < 0 || max(last, dst) >= nodes || known[[2]int64{last, dst}] || events < 1 || events > min(ofDestination[last], ofDestination[dst]) {
			return fmt.Errorf("snapshot tensor %s has %d after %d, %d times, expected two destinations in one row, and no more than their events", successors, dst, last, events)
		}
		known[[2]int64{last, dst}] = true
	}
	return nil
}

// check returns an error for destinations of last events that no stream has.
func (n *noise) check(recent []int64, nodes int) error {
	if len(recent) > n.Window || slices.ContainsFunc(recent, func(v int64) bool { return v < 0 || v >= int64(nodes) }) {
		return fmt.Errorf("the snapshot has %d recent destinations, expected at most %d, all below %d", len(recent), n.Window, nodes)
	}
	return nil
}

// set replaces the recent destinations.
func (n *noise) set(recent []int32) {
	n.reset()
	for _, v := range recent {
		n.times[v]++
	}
	n.recent = append(n.recent, recent...)
}
