package datasets

import (
	"cmp"
	"fmt"
	"slices"

	"dgsbench/internal/ram"
)

// sort puts the events in order of time, those of equal time in file order,
// and numbers nodes as if they had stood so in the file. It returns the row
// in the file of every event, or nil where nothing moved.
func (m *merger) sort() (order []int, err error) {
	s := m.out
	if slices.IsSorted(s.Time) {
		return nil, nil
	}
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
	if m.bipartite {
		items = newNumbering(m.items.len())
	}
	for r := range s.Src {
		s.Src[r] = nodes.of(s.Src[r])
		s.Dst[r] = items.of(s.Dst[r])
	}
	return order, nil
}

// numbering gives new numbers in the order in which old ones are asked for.
type numbering struct {
	known []int32 // new number + 1 of an old one; 0 where it has none yet
	next  int32
}

func newNumbering(n int) *numbering { return &numbering{known: make([]int32, n)} }

func (n *numbering) of(old int32) int32 {
	if n.known[old] == 0 {
		n.next++
		n.known[old] = n.next
	}
	return n.known[old] - 1
}
