//go:build gpu

package cuda

import (
	"fmt"

	"dgsbench/kernels"
)

// own is a block's own memory in a chain: numbers of every row, or without
// rows.
type own struct {
	at     int // where it begins, among those of a row or among those without
	width  int // numbers of a row, or all
	vector bool
	run    int // the last one that wrote to it
}

// window is a view of it.
type window struct {
	*own
	offset, n int // as if all rows were there, matrix after matrix
}

// Len is how many numbers it holds.
func (w window) Len() int { return w.n }

// ownList is a list that the host writes for every run.
type ownList struct {
	n     int
	run   int // the last one that wrote to it
	place int // staged
}

// Len is how many numbers it holds.
func (l *ownList) Len() int { return l.n }

// callRoom is left for calls and partial sums where a block's memory is given
// out.
const callRoom = 16 << 10

// NewBuffer is memory of every block, or of the card where a block would have
// no room for one row.
func (c *chain) NewBuffer(n int) kernels.Buffer {
	width := n / c.most
	if n%c.most != 0 || !c.fits(width) {
		return c.on.NewBuffer(n)
	}
	o := &own{at: c.width, width: width}
	c.width += wholeFours(width)
	return window{o, 0, n}
}

// wholeFours is n rounded up, so that what follows so many numbers can be read
// four at a time.
func wholeFours(n int) int { return (n + fours - 1) / fours * fours }

// NewVector is memory of every block.
func (c *chain) NewVector(n int) kernels.Buffer {
	o := &own{at: c.vector, width: n, vector: true}
	c.vector += n
	return window{o, 0, n}
}

// fits reports whether a block has room for so many more numbers.
func (c *chain) fits(more int) bool {
	return (c.width+c.vector+more)*wordBytes+callRoom <= c.on.card.Info().Shared
}

// room is the shared memory of a block, and where the numbers and partial sums
// of all blocks are if they have no room there: a layer may be wide.
func (c *chain) room(s chainSize, blocks int) (shared int, outside uint64) {
	if c.inside(s) {
		return s.bytes(len(c.calls)), 0
	}
	if n := blocks * (s.own + s.partial); c.outside.n < n {
		m := c.on.heap.alloc(n * wordBytes)
		c.outside = words{m, m.at, n}
	}
	if c.on.tape != nil {
		c.on.tape.onCard = append(c.on.tape.onCard, c.outside.memory)
	}
	return len(c.calls) * callBytes, uint64(c.outside.at)
}

// NewInts is written for every run; without that it is zeros.
func (c *chain) NewInts(n int) kernels.Ints { return &ownList{n: n} }

// View is a matrix of b, or columns of one.
func (c *chain) View(b kernels.Buffer, offset, n int) kernels.Buffer {
	w, ok := b.(window)
	if !ok {
		return c.on.View(b, offset, n)
	}
	if offset < 0 || n < 0 || offset+n > w.n {
		panic(fmt.Sprintf("cuda: a view of %d numbers from %d on, of %d", n, offset, w.n))
	}
	return window{w.own, w.offset + offset, n}
}

// ViewInts is a view of a list of the device.
func (c *chain) ViewInts(l kernels.Ints, offset, n int) kernels.Ints {
	return c.on.ViewInts(l, offset, n)
}

// staged is what the host has written in a run. It goes to the card together
// with the calls.
type staged struct {
	parts [][]byte
	bytes int
}

// reset leaves room for the calls in front.
func (s *staged) reset() { s.parts, s.bytes = append(s.parts[:0], nil), 0 }

// lineBytes is what a thread reads at once, at most.
const lineBytes = 16

var padding [lineBytes]byte

// add gives the part a place.
func (s *staged) add(part []byte) (place int) {
	place = s.bytes
	s.parts = append(s.parts, part)
	s.bytes += len(part)
	if over := s.bytes % lineBytes; over > 0 {
		s.parts = append(s.parts, padding[over:])
		s.bytes += lineBytes - over
	}
	return place
}

// Write copies src to the rows of dst.
func (c *chain) Write(dst kernels.Buffer, src []float32) {
	cols := len(src) / c.rows
	to, from := c.out(dst, len(src)), operand{place: c.staged.add(bytesOf(src)) + 1}
	c.note(chainCall{code: copyRows, cols: cols, inner: cols, choice: cols, results: 1}, to, from)
	c.written[to.where()] = src
}

// WriteInts gives dst its numbers for this run.
func (c *chain) WriteInts(dst kernels.Ints, src []int32) {
	l := dst.(*ownList)
	l.run, l.place = c.run, c.staged.add(bytesOf(src))
}

// IsFinite reports whether the numbers are finite that were written to b in
// this run.
func (c *chain) IsFinite(n int, b kernels.Buffer) bool {
	for _, x := range c.written[c.in(b, n).where()][:n] {
		if x-x != 0 {
			return false
		}
	}
	return true
}
