package dgs

import "slices"

// slots are the places of the nodes' Jacobians.
type slots struct {
	slot []int32 // of a node, -1 for none
	next int     // slots that were given out
	open []int32 // that are free again
}

func newSlots(nodes int) slots {
	s := slots{slot: make([]int32, nodes)}
	s.reset()
	return s
}

func (s *slots) reset() {
	for i := range s.slot {
		s.slot[i] = -1
	}
	s.next, s.open = 0, s.open[:0]
}

// of lists the slots of the nodes.
func (s *slots) of(nodes, out []int32) []int32 {
	out = slices.Grow(out, len(nodes))
	for _, n := range nodes {
		out = append(out, s.slot[n])
	}
	return out
}

// has reports whether a node has a slot.
func (s *slots) has(node int32) bool { return s.slot[node] >= 0 }

// take is the slot of a node, a new one if it has none.
func (s *slots) take(node int32) int32 {
	if s.has(node) {
		return s.slot[node]
	}
	if n := len(s.open); n > 0 {
		s.slot[node], s.open = s.open[n-1], s.open[:n-1]
	} else {
		s.slot[node] = int32(s.next)
		s.next++
	}
	return s.slot[node]
}

// free gives a node's slot back.
func (s *slots) free(node int32) {
	if s.has(node) {
		s.open = append(s.open, s.slot[node])
		s.slot[node] = -1
	}
}
