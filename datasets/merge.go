package datasets

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"

	"dgsbench/internal/ram"
)

var errChanged = errors.New("the file changed while it was read")

// merger joins parsed blocks in file order. Its nodeNames number the nodes of
// the whole file.
type merger struct {
	*schema
	nodeNames
	renumber [2][]int32 // from a block's numbers to the file's: nodes, items
	checked  int64      // bytes of names that fit into the memory
}

// run parses all blocks and returns the first error in file order. Each of n
// workers parses every n-th block.
func (m *merger) run(blocks []block, n int) error {
	largest := int64(0)
	for _, b := range blocks {
		largest = max(largest, b.end-b.off)
	}
	n = min(n, len(blocks))
	parsed := make([]chan *parser, n) // by each worker
	stop := make(chan struct{})
	var workers sync.WaitGroup
	defer workers.Wait()
	defer close(stop)
	for i := range parsed {
		parsed[i] = make(chan *parser)
		workers.Go(func() {
			buf := make([]byte, largest)
			var parsers [2]*parser // in turn: one parses while the other's block is merged
			for j := range parsers {
				parsers[j] = &parser{schema: m.schema, nodeNames: newNodeNames(m.layout.Bipartite)}
			}
			for b := i; b < len(blocks); b += n {
				p := parsers[b/n%2]
				p.parse(blocks[b], buf)
				select {
				case parsed[i] <- p: // and the other's block has been merged
				case <-stop:
					return
				}
			}
		})
	}
	for b := range blocks {
		if err := m.add(<-parsed[b%n]); err != nil {
			return err
		}
	}
	return nil
}

// add renumbers the nodes of the next block. The block's first event must not
// be earlier than the last one before it.
func (m *merger) add(b *parser) error {
	if b.good > 0 && b.row > 0 {
		if d := m.order(b.row); d != nil {
			d.Line = m.file.lineOf(b.row)
			return d
		}
	}
	if b.err != nil {
		return b.err
	}
	if b.good < b.rows {
		return errChanged
	}
	if err := m.checkMemory(); err != nil {
		return err
	}
	m.renumber[0] = m.nodes.adopt(b.nodes, m.renumber[0])
	nodes, items := m.renumber[0], m.renumber[0]
	if m.layout.Bipartite {
		m.renumber[1] = m.items.adopt(b.items, m.renumber[1])
		items = m.renumber[1]
	}
	for r := b.row; r < b.row+b.rows; r++ {
		m.out.Src[r] = nodes[m.out.Src[r]]
		m.out.Dst[r] = items[m.out.Dst[r]]
	}
	return nil
}

// checkMemory returns an error if the names would not fit after their tables
// are doubled, as full tables are.
func (m *merger) checkMemory() error {
	size := m.nodes.bytes()
	if m.layout.Bipartite {
		size += m.items.bytes()
	}
	if size <= m.checked {
		return nil
	}
	m.checked = 2 * size
	return ram.Check(fmt.Sprintf("names of the nodes of %s", m.file.name), m.checked)
}

// finish sorts the events if the layout says so, numbers items after users and
// converts times into seconds from the first event.
func (m *merger) finish() error {
	s := &m.out
	lastRow := s.Len() - 1 // in the file
	if m.layout.Sort && !slices.IsSorted(s.Time) {
		order, err := m.sort()
		if err != nil {
			return err
		}
		lastRow = order[lastRow]
	}
	s.NumNodes = m.nodes.len()
	if m.layout.Bipartite {
		s.Users = s.NumNodes
		s.NumNodes += m.items.len()
		for r := range s.Dst {
			s.Dst[r] += int32(s.Users)
		}
	}
	start, perSecond := s.Time[0], unitPerSecond[m.layout.Unit]
	for r, t := range s.Time {
		s.Time[r] = (t - start) / perSecond
	}
	span := s.Time[s.Len()-1]
	if d := m.tooLarge(span, longestSpan, number(span)+" from the first event to the last"); d != nil {
		d.Line = m.file.lineOf(lastRow)
		return d
	}
	return nil
}

// sort sorts the events by time, those of equal time in file order, and numbers
// nodes as in a file with that order. It returns every event's row in the file.
func (m *merger) sort() (order []int, err error) {
	s := &m.out
	const numbers = 8 + 4 // of an event, in the file and after sorting
	need := Bytes(s.Len(), s.NumFeat) + numbers*int64(s.Len()) + 4*int64(m.nodes.len()+m.items.len())
	if err := ram.Check(fmt.Sprintf("sorting the %d events of %s", s.Len(), m.file.name), need); err != nil {
		return nil, err
	}
	order = make([]int, s.Len())
	for r := range order {
		order[r] = r
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.Time[a], s.Time[b]) })
	*s = s.Select(order).From(0)
	nodes := newNumbering(m.nodes.len())
	items := nodes
	if m.layout.Bipartite {
		items = newNumbering(m.items.len())
	}
	for r := range s.Src {
		s.Src[r] = nodes(s.Src[r])
		s.Dst[r] = items(s.Dst[r])
	}
	return order, nil
}

// newNumbering returns a function that renumbers n nodes in the order in which
// it is called with them.
func newNumbering(n int) func(old int32) int32 {
	numbers := make([]int32, n) // new number + 1; 0 for none
	last := int32(0)
	return func(old int32) int32 {
		if numbers[old] == 0 {
			last++
			numbers[old] = last
		}
		return numbers[old] - 1
	}
}
