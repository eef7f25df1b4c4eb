package datasets

import (
	"cmp"
	"slices"
)

// sort puts the events in order of time, those of equal time in file order,
// and numbers nodes as if they had stood so in the file. It returns the row
// in the file of every event, or nil where nothing moved.
func (m *merger) sort() (order []int) {
	s := m.out
	if slices.IsSorted(s.Time) {
		return nil
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
	return order
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
