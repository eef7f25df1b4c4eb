package tgn

import "dgsbench/models/internal/memory"

// identity embeds a node as its memory.
type identity struct {
	memory.Timeless
	memory.Memoryless
	width int
}

// Width is that of a memory.
func (i identity) Width() int { return i.width }
