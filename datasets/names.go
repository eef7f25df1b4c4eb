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
	seed    maphash.Seed
	slots   []int32 // number + 1 of the text with that hash or a lower one; 0 is free
	text    []byte
	offsets []int // text i is text[offsets[i]:offsets[i+1]]
}

// fewestSlots is the size of an empty table, a power of two.
const fewestSlots = 64

func newNames() *names {
	return &names{seed: maphash.MakeSeed(), slots: make([]int32, fewestSlots), offsets: []int{0}}
}

// len returns the number of texts.
func (n *names) len() int { return len(n.offsets) - 1 }

// bytes returns the memory of the table.
func (n *names) bytes() int64 { return int64(cap(n.text) + 8*cap(n.offsets) + 4*cap(n.slots)) }

// get returns the text with that number.
func (n *names) get(id int32) []byte { return n.text[n.offsets[id]:n.offsets[id+1]] }

// intern returns the number of a text.
func (n *names) intern(text []byte) int32 {
	if 2*n.len() >= len(n.slots) {
		n.slots = make([]int32, 2*len(n.slots))
		for id := range int32(n.len()) {
			n.slots[n.find(n.get(id))] = id + 1
		}
	}
	slot := n.find(text)
	if id := n.slots[slot]; id > 0 {
		return id - 1
	}
	n.text = append(n.text, text...)
	n.offsets = append(n.offsets, len(n.text))
	n.slots[slot] = int32(n.len())
	return n.slots[slot] - 1
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
	n.text, n.offsets = n.text[:0], n.offsets[:1]
}

// adopt returns the number here of every text of a block, in the memory of
// numbers.
func (n *names) adopt(block *names, numbers []int32) []int32 {
	numbers = numbers[:0]
	for id := range int32(block.len()) {
		numbers = append(numbers, n.intern(block.get(id)))
	}
	return numbers
}
