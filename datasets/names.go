package datasets

import (
	"bytes"
	"hash/maphash"
)

// names numbers texts in the order in which they first appear. Every block has
// its own, so that blocks can be parsed concurrently; adopt then joins them in
// file order.
//
// It is a hash table with all texts in one slice, because millions of small
// strings would take more memory than the stream.
type names struct {
	seed  maphash.Seed
	slots []int32 // number + 1 of the text with that hash or a lower one; 0 is free
	text  []byte
	ends  []int // of each text
}

// fewestSlots is the size of an empty table, a power of two.
const fewestSlots = 64

func newNames() *names {
	return &names{seed: maphash.MakeSeed(), slots: make([]int32, fewestSlots)}
}

// len returns the number of texts.
func (n *names) len() int { return len(n.ends) }

// bytes returns the memory of the table.
func (n *names) bytes() int64 { return int64(cap(n.text) + 8*cap(n.ends) + 4*cap(n.slots)) }

// get returns the text with that number.
func (n *names) get(id int32) []byte {
	start := 0
	if id > 0 {
		start = n.ends[id-1]
	}
	return n.text[start:n.ends[id]]
}

// intern returns the number of a text.
func (n *names) intern(text []byte) int32 {
	if 2*len(n.ends) >= len(n.slots) {
		n.slots = make([]int32, 2*len(n.slots))
		for id := range n.ends {
			n.slots[n.find(n.get(int32(id)))] = int32(id) + 1
		}
	}
	slot := n.find(text)
	if id := n.slots[slot]; id > 0 {
		return id - 1
	}
	n.text = append(n.text, text...)
	n.ends = append(n.ends, len(n.text))
	n.slots[slot] = int32(len(n.ends))
	return int32(len(n.ends)) - 1
}

// find returns the slot of the text, or the one where it would be inserted.
func (n *names) find(text []byte) uint64 {
	last := uint64(len(n.slots) - 1)
	slot := maphash.Bytes(n.seed, text) & last
	for n.slots[slot] > 0 && !bytes.Equal(n.get(n.slots[slot]-1), text) {
		slot = (slot + 1) & last
	}
	return slot
}

// reset removes all texts and keeps the memory.
func (n *names) reset() {
	clear(n.slots)
	n.text, n.ends = n.text[:0], n.ends[:0]
}

// adopt returns the number here of every text of a block, in the memory of
// numbers.
func (n *names) adopt(block *names, numbers []int32) []int32 {
	numbers = numbers[:0]
	for id := range block.len() {
		numbers = append(numbers, n.intern(block.get(int32(id))))
	}
	return numbers
}
