package datasets

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"dgsbench/internal/ram"
)

var errChanged = errors.New("the file changed while it was read")

// merger joins parsed blocks in file order. Its own tables of names number
// the nodes of the whole file.
type merger struct {
	*parser
	renumber [2][]int32 // from a block's numbers to the file's: nodes, items
	free     chan tables
	checked  int64 // bytes of names that have room
}

// ahead is how many blocks a worker may be ahead of the merge: it bounds
// what waits in memory.
const ahead = 2

// run parses all blocks and returns the first error in file order. Workers
// take the blocks in that order too, so that whatever stands before a
// damaged line has been looked at.
func (m *merger) run(blocks []block, workers int) error {
	m.free = make(chan tables, ahead*workers)
	for range cap(m.free) {
		m.free <- newTables(m.bipartite)
	}
	var stop atomic.Bool
	early := map[int]parsed{} // parsed before a block that precedes them
	merged := 0
	var first error
	for res := range m.parseAll(blocks, workers, &stop) {
		early[res.index] = res
		for res, ok := early[merged]; ok; res, ok = early[merged] {
			delete(early, merged)
			merged++
			if first == nil {
				first = m.add(res)
			}
			m.free <- res.tables
		}
		stop.Store(first != nil)
	}
	return first
}

// parseAll has the blocks parsed until it is told to stop. The channel is
// closed when all workers are done. A worker takes its tables before its
// block, so that the next block to be merged always has some.
func (m *merger) parseAll(blocks []block, workers int, stop *atomic.Bool) <-chan parsed {
	largest := int64(0)
	for _, b := range blocks {
		largest = max(largest, b.end-b.off)
	}
	var next atomic.Int64
	results := make(chan parsed, workers)
	var wg sync.WaitGroup
	for range min(workers, len(blocks)) {
		wg.Go(func() {
			p := newParser(m.file, m.schema, m.out, int(largest))
			for t := range m.free {
				i := int(next.Add(1)) - 1
				if i >= len(blocks) || stop.Load() {
					m.free <- t
					return
				}
				results <- p.parse(i, blocks[i], t)
			}
		})
	}
	go func() {
		wg.Wait()
		close(results)
	}()
	return results
}

// add renumbers the nodes of the next block, after a look at the seam: its
// first event must not be earlier than the last one before it.
func (m *merger) add(b parsed) error {
	if b.good > 0 && b.row > 0 && !m.mayBeUnsorted {
		if d := m.order(b.row); d != nil {
			d.File, d.Line = m.file.name, m.file.lineOf(b.row)
			return d
		}
	}
	if b.err != nil {
		return b.err
	}
	if b.good < b.rows {
		return errChanged
	}
	if err := m.room(); err != nil {
		return err
	}
	m.renumber[0] = m.nodes.adopt(b.nodes, m.renumber[0])
	nodes, items := m.renumber[0], m.renumber[0]
	if m.bipartite {
		m.renumber[1] = m.items.adopt(b.items, m.renumber[1])
		items = m.renumber[1]
	}
	for r := b.row; r < b.row+b.rows; r++ {
		m.out.Src[r] = nodes[m.out.Src[r]]
		m.out.Dst[r] = items[m.out.Dst[r]]
	}
	return nil
}

// room refuses names that would not fit when their tables double, as they do
// when they are full.
func (m *merger) room() error {
	size := m.nodes.bytes()
	if m.bipartite {
		size += m.items.bytes()
	}
	if size <= m.checked {
		return nil
	}
	m.checked = 2 * size
	return ram.Check(fmt.Sprintf("names of the nodes of %s", m.file.name), m.checked)
}

// finish puts events in order where they need not be, items after users and
// the first event at time 0, and counts seconds.
func (m *merger) finish() error {
	s := m.out
	row := func(r int) int { return r } // in the file
	order, err := m.sort()
	if err != nil {
		return err
	}
	if order != nil {
		row = func(r int) int { return order[r] }
	}
	s.NumNodes = m.nodes.len()
	if m.bipartite {
		s.Users = s.NumNodes
		s.NumNodes += m.items.len()
		for r := range s.Dst {
			s.Dst[r] += int32(s.Users)
		}
	}
	start, perSecond := s.Time[0], units[m.unit].perSecond
	for r, t := range s.Time {
		s.Time[r] = (t - start) / perSecond
	}
	last := s.Len() - 1
	if d := m.doubt(s.Time[last], longestSpan, number(s.Time[last])+" from the first event to the last"); d != nil {
		d.File, d.Line = m.file.name, m.file.lineOf(row(last))
		return d
	}
	return nil
}
