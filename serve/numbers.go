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
	forget   func(int32) error // clears what features know of a node that is evicted

	byName [2]map[string]int32 // by side; the first one has all names where there are no sides
	free   []int32             // the smallest one is the last
	batch  int64
	count  int     // numbers before the batch
	added  []added // by the batch

	// The following are empty unless evicting is set. next and prev order the nodes by
	// their last event, as a ring that begins and ends at the index most; marks are the
	// last batches that nodes were in.
	next, prev []int32
	marks      []int64
}

// added is a number that a node got, and what was known of it before.
type added struct {
	node int32
	name string // of the node that was evicted, or ""
	side int8
	seen int64
	prev int32 // before the node in the order
}

// newNumbers returns those of nodes. Two with one name are an error.
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
		t.next, t.prev, t.marks = make([]int32, most+1), make([]int32, most+1), make([]int64, most+1)
		t.sort()
	}
	return t, nil
}

// sort orders the nodes by their last event, and those of one event by number.
func (t *numbers) sort() {
	var order []int32
	for n, name := range t.Names {
		if name != "" {
			order = append(order, int32(n))
		}
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(t.Seen[a], t.Seen[b]) })
	t.next[t.most], t.prev[t.most] = int32(t.most), int32(t.most)
	for _, n := range order {
		t.append(n)
	}
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
func (t *numbers) append(n int32) { t.insert(n, t.prev[t.most]) }

// insert puts a node that is not in the order behind another one.
func (t *numbers) insert(n, prev int32) {
	next := t.next[prev]
	t.next[prev], t.prev[n], t.next[n], t.prev[next] = n, prev, next, n
}

func (t *numbers) remove(n int32) { t.next[t.prev[n]], t.prev[t.next[n]] = t.next[n], t.prev[n] }

// has marks the node with the name on a side, if it has a number, as one of the batch.
func (t *numbers) has(name string, side int8) {
	if n, known := t.names(side)[name]; known && t.evicting {
		t.marks[n] = t.batch
	}
}

// of returns the number of the node with the name on a side. A new one is added; that may
// take the number of another node, which is none of the batch.
func (t *numbers) of(name string, side int8) (n int32, err error) {
	names := t.names(side)
	if n, known := names[name]; known {
		return n, nil
	}
	prev := int32(0)
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
		return 0, fmt.Errorf("a new node, and there is no room for more than %d", t.most)
	default:
		for n = t.next[t.most]; n < int32(t.most) && t.marks[n] == t.batch; {
			n = t.next[n]
		}
		if n == int32(t.most) {
			return 0, fmt.Errorf("a batch of more than %d nodes, which is all that there is room for", t.most)
		}
		if err := t.forget(n); err != nil {
			return 0, fmt.Errorf("a new node, and there is room for no more than %d: %w", t.most, err)
		}
		prev = t.prev[n]
		t.remove(n)
		delete(t.names(t.side(n)), t.Names[n])
	}
	t.added = append(t.added, added{n, t.Names[n], t.side(n), t.Seen[n], prev})
	names[name] = n
	t.set(n, name, side, -1)
	if t.evicting {
		t.append(n)
		t.marks[n] = t.batch
	}
	return n, nil
}

func (t *numbers) set(n int32, name string, side int8, seen int64) {
	t.Names[n], t.Seen[n] = name, seen
	if t.Sides != nil {
		t.Sides[n] = side
	}
}

// begin starts a batch.
func (t *numbers) begin() {
	t.batch++
	t.added, t.count = t.added[:0], len(t.Names)
}

// evicted returns the numbers that nodes of the batch took from others.
func (t *numbers) evicted() (nodes []int32) {
	for _, a := range t.added {
		if a.name != "" {
			nodes = append(nodes, a.node)
		}
	}
	return nodes
}

// undo makes numbers those of before the batch.
func (t *numbers) undo() {
	for _, a := range slices.Backward(t.added) {
		n := a.node
		delete(t.names(t.side(n)), t.Names[n])
		if t.evicting {
			t.remove(n)
		}
		t.set(n, a.name, a.side, a.seen)
		switch {
		case a.name != "":
			t.names(a.side)[a.name] = n
			t.insert(n, a.prev)
		case int(n) < t.count:
			t.free = append(t.free, n)
		}
	}
	t.Names, t.Seen = t.Names[:t.count], t.Seen[:t.count]
	if t.Sides != nil {
		t.Sides = t.Sides[:t.count]
	}
	t.added = t.added[:0]
}

// reset says that no node has had an event.
func (t *numbers) reset() {
	for n := range t.Seen {
		t.Seen[n] = -1
	}
	if t.evicting {
		t.sort()
	}
}

// met says that the event of a number was one of the two nodes.
func (t *numbers) met(src, dst int32, event int64) {
	for _, n := range []int32{min(src, dst), max(src, dst)} { // the order of sort
		t.Seen[n] = event
		if t.evicting {
			t.remove(n)
			t.append(n)
		}
	}
}
