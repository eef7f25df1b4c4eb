package serve

import (
	"cmp"
	"fmt"
	"slices"

	"dgsbench/models"
)

// numbers gives nodes their numbers, by name. New ones get numbers of their own until
// there are most, and then an error or, if evicting is set, that of the node whose last
// event is the longest ago.
type numbers struct {
	models.Nodes
	most     int
	evicting bool
	forget   func(int32) error // clears what is known of a node that is evicted

	byName [2]map[string]int32 // by side; the first one has all names where there are no sides
	free   []int32             // the smallest one is the last
	batch  int64
	added  []int32 // by the batch

	// The following are empty unless evicting is set. next and prev order the nodes by
	// their last event, as a ring that begins and ends at the index most; marks are the
	// last batches that nodes were in.
	next, prev []int32
	marks      []int64
}

// newNumbers returns those of nodes, which are distinct.
func newNumbers(of models.Nodes, most int, evicting bool, forget func(int32) error) (*numbers, error) {
	t := &numbers{Nodes: of, most: most, evicting: evicting, forget: forget, byName: [2]map[string]int32{{}, {}}}
	for n, name := range slices.Backward(of.Names) {
		names := t.names(t.side(int32(n)))
		_, twice := names[name]
		switch {
		case name == "":
			t.free = append(t.free, int32(n))
		case twice:
			return nil, fmt.Errorf("two nodes with the name %q", name)
		default:
			names[name] = int32(n)
		}
	}
	if evicting {
		order := make([]int32, 0, len(of.Names))
		for n, name := range of.Names {
			if name != "" {
				order = append(order, int32(n))
			}
		}
		slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(of.Seen[a], of.Seen[b]) })
		t.next, t.prev, t.marks = make([]int32, most+1), make([]int32, most+1), make([]int64, most+1)
		t.next[most], t.prev[most] = int32(most), int32(most)
		for _, n := range order {
			t.append(n)
		}
	}
	return t, nil
}

// side returns that of a node, 0 where there are no sides.
func (t *numbers) side(n int32) int8 {
	if t.Sides == nil {
		return 0
	}
	return t.Sides[n]
}

func (t *numbers) names(side int8) map[string]int32 {
	if t.Sides == nil {
		side = 0
	}
	return t.byName[side]
}

// append makes a node that is not in the order its last.
func (t *numbers) append(n int32) {
	end := int32(t.most)
	last := t.prev[end]
	t.next[last], t.prev[n], t.next[n], t.prev[end] = n, last, end, n
}

func (t *numbers) remove(n int32) { t.next[t.prev[n]], t.prev[t.next[n]] = t.next[n], t.prev[n] }

// of returns the number of the node with the name on a side. A new one is added; if
// that took the number of another node, which no event of the batch had, evicted is true.
func (t *numbers) of(name string, side int8) (n int32, evicted bool, err error) {
	names := t.names(side)
	n, known := names[name]
	if known {
		t.mark(n)
		return n, false, nil
	}
	switch k := len(t.free); {
	case k > 0:
		n, t.free = t.free[k-1], t.free[:k-1]
	case len(t.Names) < t.most:
		n = int32(len(t.Names))
		t.Names, t.Seen = append(t.Names, ""), append(t.Seen, -1)
		if t.Sides != nil {
			t.Sides = append(t.Sides, 0)
		}
	case !t.evicting:
		return 0, false, fmt.Errorf("a new node, and there is no room for more than %d", t.most)
	default:
		for n = t.next[t.most]; n < int32(t.most) && t.marks[n] == t.batch; {
			n = t.next[n]
		}
		if n == int32(t.most) {
			return 0, false, fmt.Errorf("a batch of more than %d nodes, which is all that there is room for", t.most)
		}
		if err := t.forget(n); err != nil {
			return 0, false, fmt.Errorf("a new node, and there is room for no more than %d: %w", t.most, err)
		}
		evicted = true
		t.remove(n)
		delete(t.names(t.side(n)), t.Names[n])
	}
	names[name] = n
	t.Names[n], t.Seen[n] = name, -1
	if t.Sides != nil {
		t.Sides[n] = side
	}
	if t.evicting {
		t.append(n)
	}
	t.mark(n)
	t.added = append(t.added, n)
	return n, evicted, nil
}

func (t *numbers) mark(n int32) {
	if t.evicting {
		t.marks[n] = t.batch
	}
}

// begin starts a batch.
func (t *numbers) begin() {
	t.batch++
	t.added = t.added[:0]
}

// undo frees the numbers of the nodes that the batch has added. There was no eviction.
func (t *numbers) undo() {
	for _, n := range t.added {
		delete(t.names(t.side(n)), t.Names[n])
		t.Names[n] = ""
		if t.evicting {
			t.remove(n)
		}
		t.free = append(t.free, n)
	}
	slices.SortFunc(t.free, func(a, b int32) int { return cmp.Compare(b, a) })
	t.added = t.added[:0]
}

// met says that the event of a number was one of the node.
func (t *numbers) met(n int32, event int64) {
	t.Seen[n] = event
	if t.evicting {
		t.remove(n)
		t.append(n)
	}
}
