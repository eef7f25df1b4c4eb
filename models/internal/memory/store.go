package memory

import (
	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/nn"
)

// store keeps the events of every node's last batch: the raw messages. An
// event that both of its nodes keep is kept once, in a slot. So the memory
// goes with the nodes, not with the stream.
type store struct {
	device kernels.Device
	width  int
	bare   bool // the stream has no features
	room   int  // messages of a node, at most
	all    bool // all of a batch's events of a node, those as source and as destination by themselves; else the last one

	// Lists of slots. Without all there is one list a node, of one slot.
	first [2][]int32 // of a node: its first slot, +1; 0 for none
	batch [2][]int32 // of a node: the batch that its list is of
	now   int32      // number of the batch

	// Slots.
	src, dst []int32
	time     []float64
	next     [2][]int32 // slot, +1
	users    []int8     // lists that it is in
	free     []int32
	features kernels.Buffer // a row a slot

	// What the present batch has taken the place of.
	replaced []replaced

	// Those of the present batch: slots and their events.
	slots, events []int32
	move          *nn.Move // of their features
}

// replaced is the list that a node had, and the batch that it was of. Its slots
// stay until the next batch, so that it can be put back.
type replaced struct {
	role               int
	node, first, batch int32
}

func newStore(d kernels.Device, a Aggregator, nodes, features, maxBatch int) *store {
	s := &store{device: d, width: MessageWidth(features), bare: features == 0, room: messageRoom(maxBatch), all: a == Mean}
	for role := range s.first {
		s.first[role], s.batch[role] = make([]int32, nodes), make([]int32, nodes)
	}
	s.features = d.NewBuffer(0)
	s.move = nn.NewMove(d, maxBatch, s.width)
	return s
}

// heard reports whether the node has a message.
func (s *store) heard(node int32) bool { return s.first[0][node] > 0 || s.first[1][node] > 0 }

// other is the opposite end of a slot's event.
func (s *store) other(slot, node int32) int32 { return s.src[slot] ^ s.dst[slot] ^ node }

// clear forgets all messages.
func (s *store) clear() {
	for role := range s.first {
		clear(s.first[role])
		clear(s.batch[role])
		s.next[role] = s.next[role][:0]
	}
	s.now, s.replaced = 0, s.replaced[:0]
	s.src, s.dst, s.time, s.users, s.free = s.src[:0], s.dst[:0], s.time[:0], s.users[:0], s.free[:0]
}

// fold replaces what the batch's nodes keep by the batch's events; x has
// their features.
func (s *store) fold(b datasets.Stream, x kernels.Buffer) {
	s.list(b)
	s.keepFeatures(x)
}

// list does so but for the features.
func (s *store) list(b datasets.Stream) {
	s.drop()
	s.now++
	s.slots, s.events = s.slots[:0], s.events[:0]
	for k := b.Len() - 1; k >= 0; k-- {
		slot := s.keep(1, b.Dst[k], b, k, -1)
		s.keep(0, b.Src[k], b, k, slot)
	}
}

// keep puts event k in front of a node's list, unless the list has what it
// is to hold. It returns the event's slot, -1 for none.
func (s *store) keep(role int, node int32, b datasets.Stream, k int, slot int32) int32 {
	if !s.all {
		role = 0
	}
	fresh := s.batch[role][node] != s.now
	if !fresh && !s.all {
		return slot
	}
	if fresh {
		s.replaced = append(s.replaced, replaced{role, node, s.first[role][node], s.batch[role][node]})
		s.first[role][node], s.batch[role][node] = 0, s.now
	}
	if slot < 0 {
		slot = s.take(b.Src[k], b.Dst[k], b.Time[k])
		s.slots, s.events = append(s.slots, slot), append(s.events, int32(k))
	}
	s.next[role][slot] = s.first[role][node]
	s.first[role][node] = slot + 1
	s.users[slot]++
	return slot
}

// release frees the slots of a list that no other one has.
func (s *store) release(role int, at int32) {
	for at > 0 {
		slot := at - 1
		at = s.next[role][slot]
		if s.users[slot]--; s.users[slot] == 0 {
			s.free = append(s.free, slot)
		}
	}
}

// drop frees what the present batch has taken the place of.
func (s *store) drop() {
	for _, r := range s.replaced {
		s.release(r.role, r.first)
	}
	s.replaced = s.replaced[:0]
}

// takeBack puts back what the nodes kept before the present batch.
func (s *store) takeBack() {
	for _, r := range s.replaced {
		s.release(r.role, s.first[r.role][r.node])
		s.first[r.role][r.node], s.batch[r.role][r.node] = r.first, r.batch
	}
	s.replaced = s.replaced[:0]
	s.now--
}

// take is a free slot, for an event.
func (s *store) take(src, dst int32, time float64) int32 {
	if n := len(s.free); n > 0 {
		slot := s.free[n-1]
		s.free = s.free[:n-1]
		s.src[slot], s.dst[slot], s.time[slot] = src, dst, time
		return slot
	}
	s.src, s.dst, s.time, s.users = append(s.src, src), append(s.dst, dst), append(s.time, time), append(s.users, 0)
	s.next[0], s.next[1] = append(s.next[0], 0), append(s.next[1], 0)
	return int32(len(s.src) - 1)
}

// keepFeatures keeps those of the events that were listed.
func (s *store) keepFeatures(x kernels.Buffer) {
	if s.bare {
		return
	}
	s.grow()
	s.move.Run(s.features, s.slots, x, s.events)
}

// grow makes room for the features of all slots.
func (s *store) grow() {
	if rows := len(s.src); rows*s.width > s.features.Len() {
		larger := s.device.NewBuffer(2 * rows * s.width)
		s.device.CopyRows(s.features.Len()/s.width, s.width, larger, s.width, s.features, s.width)
		s.features = larger
	}
}

// count is how many messages the nodes have.
func (s *store) count(nodes []int32) int {
	total := 0
	for _, n := range nodes {
		for role := range s.first {
			for at := s.first[role][n]; at > 0; at = s.next[role][at-1] {
				total++
			}
		}
	}
	return total
}
