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
	levels   []*names   // of the categories
	renumber [2][]int32 // from a block's numbers to the file's: nodes, items
	checked  int64      // bytes of names that fit into the memory
	start    float64    // time of the first event, as the clock reads it
	sorted   [2][]int32 // of sorted events: the nodes and items in the order of their numbers; else nil
}

// maxLevels is the largest number of different texts of a category: whole numbers
// that a float32 holds.
const maxLevels = 1 << 24

// newLevels returns an empty table for each category.
func (s *schema) newLevels() []*names {
	out := make([]*names, len(s.layout.Categories))
	for i := range out {
		out[i] = newNames()
	}
	return out
}

// columns returns what was read.
func (m *merger) columns() Columns {
	c := Columns{
		Stream: m.out, Features: m.features(), Levels: make([][]string, m.numFeat), Missing: m.missing,
		Times: Times{First: m.clock.first, Start: m.start, Unit: m.layout.Unit.String()}, sides: []numbered{{m.nodes, m.sorted[0]}},
	}
	if m.layout.Bipartite {
		c.sides = append(c.sides, numbered{m.items, m.sorted[1]})
	}
	if !m.layout.jodie {
		c.Layout = m.named()
	}
	for i, l := range m.levels {
		texts := make([]string, l.len())
		for id := range texts {
			texts[id] = string(l.get(int32(id)))
		}
		c.Levels[len(m.layout.Features)+i] = texts
	}
	return c
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
				parsers[j] = &parser{schema: m.schema, nodeNames: newNodeNames(m.layout.Bipartite), levels: m.newLevels()}
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
	for i, l := range b.levels {
		if err := m.addLevels(i, l, b.block); err != nil {
			return err
		}
	}
	return nil
}

// addLevels renumbers the texts of category i in a block.
func (m *merger) addLevels(i int, l *names, b block) error {
	f := len(m.layout.Features) + i
	m.renumber[0] = m.levels[i].adopt(l, m.renumber[0])
	for r := b.row; r < b.row+b.rows; r++ {
		x := &m.out.Feat[r*m.numFeat+f]
		*x = float32(m.renumber[0][int(*x)])
	}
	if n := m.levels[i].len(); n > maxLevels {
		c := m.column(role(f))
		d := m.bad(c, nil, fmt.Sprintf("a category of at most %d", maxLevels))
		d.Line, d.Found = m.file.lineOf(b.row), fmt.Sprintf("%d different values until here", n)
		return d
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
	for _, l := range m.levels {
		size += l.bytes()
	}
	if size <= m.checked {
		return nil
	}
	m.checked = 2 * size
	return ram.Check(fmt.Sprintf("names of the nodes and categories of %s", m.file.name), m.checked)
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
	m.start = s.Time[0]
	for r, t := range s.Time {
		s.Time[r] = (t - m.start) / unitPerSecond[m.layout.Unit]
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
	need := Bytes(s.Len(), s.NumFeat) + numbers*int64(s.Len()) + 2*4*int64(m.nodes.len()+m.items.len())
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
		s.Src[r] = nodes.of(s.Src[r])
		s.Dst[r] = items.of(s.Dst[r])
	}
	m.sorted = [2][]int32{nodes.olds, items.olds}
	return order, nil
}

// A numbering renumbers nodes in the order in which it is asked for them.
type numbering struct {
	numbers []int32 // by old number: the new one + 1; 0 for none
	olds    []int32 // by new number
}

func newNumbering(n int) *numbering { return &numbering{numbers: make([]int32, n)} }

func (n *numbering) of(old int32) int32 {
	if n.numbers[old] == 0 {
		n.olds = append(n.olds, old)
		n.numbers[old] = int32(len(n.olds))
	}
	return n.numbers[old] - 1
}
