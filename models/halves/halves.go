// Package halves keeps where nodes are in a table that has two rows for each of
// them, one in either half. A batch reads the row that holds what a node has and
// writes the other: so a program for inference puts new rows away while others
// of its rows still read the old ones, and a batch that is refused has changed
// nothing.
package halves

import (
	"iter"
	"math/bits"
)

// Rows says which row each node has. The zero value is for a table of one half.
type Rows struct {
	nodes  int32
	second []uint64 // a bit a node, set for those that have theirs in the second half
	count  int      // of these
}

// Nowhere is the row of values that are discarded.
const Nowhere = -1

// New has all nodes in the first half.
func New(nodes int) Rows { return Rows{nodes: int32(nodes), second: make([]uint64, (nodes+63)/64)} }

// Of is the node's row.
func (r *Rows) Of(node int32) int32 {
	if word, bit := locate(node); r.count > 0 && r.second[word]&bit != 0 {
		return r.nodes + node
	}
	return node
}

// locate returns the place of the node's bit.
func locate(node int32) (word int, bit uint64) { return int(node >> 6), 1 << (uint32(node) & 63) }

// Append appends the rows of nodes.
func (r *Rows) Append(rows, nodes []int32) []int32 {
	for _, n := range nodes {
		rows = append(rows, r.Of(n))
	}
	return rows
}

// Free is the node's other row.
func (r *Rows) Free(node int32) int32 { return 2*node + r.nodes - r.Of(node) }

// Swap makes the node's other row its own.
func (r *Rows) Swap(node int32) {
	word, bit := locate(node)
	if r.second[word] ^= bit; r.second[word]&bit != 0 {
		r.count++
	} else {
		r.count--
	}
}

// Second yields the nodes whose rows are in the second half.
func (r *Rows) Second() iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for i, word := range r.second {
			for ; word != 0; word &= word - 1 {
				if !yield(int32(64*i + bits.TrailingZeros64(word))) {
					return
				}
			}
		}
	}
}

// Reset puts all nodes into the first half.
func (r *Rows) Reset() {
	clear(r.second)
	r.count = 0
}
