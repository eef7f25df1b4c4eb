package pairclock

import (
	"fmt"
	"math"
	"slices"

	"dgsbench/models"
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
		models.Times("times", c.times, math.MaxFloat64),
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

// check returns an error for pairs and successors that no stream has.
func (c *clocks) check(saved []models.Tensor) error {
	pairs, nodes := saved[0], int64(len(c.sources))
	known, events, isDestination := map[[2]int64]bool{}, map[int64]int64{}, map[int64]bool{}
	total := int64(0)
	for row := range slices.Chunk(pairs.I64, 6) {
		key := [2]int64{row[0], row[1]}
		if min(row[0], row[1]) < 0 || max(row[0], row[1]) >= nodes || known[key] || row[2] < 1 || row[2] > math.MaxInt32-total {
			return fmt.Errorf("snapshot tensor %s has the pair %d of %d events, expected two of %d nodes, once, and at most %d events in all", pairs, key, row[2], nodes, math.MaxInt32)
		}
		known[key], isDestination[row[1]] = true, true
		events[row[0]] += row[2]
		total += row[2]
		if err := models.CheckTimes(models.Tensor{Name: pairs.Name, Shape: pairs.Shape, I64: row[4:5]}, math.MaxFloat64); err != nil {
			return err
		}
		if err := models.CheckTimes(models.Tensor{Name: pairs.Name, Shape: pairs.Shape, I64: row[5:]}, -noEvent); err != nil {
			return err
		}
	}
	for row := range slices.Chunk(pairs.I64, 6) {
		if row[3] < 0 || row[3] >= events[row[0]] {
			return fmt.Errorf("snapshot tensor %s has event %d of node %d, which has %d", pairs, row[3], row[0], events[row[0]])
		}
	}
	clear(known)
	for row := range slices.Chunk(saved[1].I64, 3) {
		key := [2]int64{row[0], row[1]}
		if !isDestination[row[0]] || !isDestination[row[1]] || known[key] || row[2] < 1 || row[2] > total {
			return fmt.Errorf("snapshot tensor %s has %d after %d, %d times, expected two destinations, once, and at most %d times", saved[1], row[1], row[0], row[2], total)
		}
		known[key] = true
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
