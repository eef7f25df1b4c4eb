//go:build gpu

package cuda

import (
	"unsafe"

	"dgsbench/kernels"
	"dgsbench/kernels/cuda/driver"
)

// operand is what a call reads or writes: on the card, among what was staged,
// or of a block's own memory. None of them is zeros.
type operand struct {
	at      uint64
	memory  *memory // that at is in
	place   int     // staged, plus one
	own     *own
	offset  int  // in own, as a window's
	columns bool // of a matrix, so that offset is one of a row
	width   int  // of these columns
}

// in is an operand of n numbers that a call reads.
func (c *chain) in(b kernels.Buffer, n int) operand {
	o := c.maybe(b, n)
	if o == (operand{}) {
		panic("cuda: a chain reads what it has not written")
	}
	return o
}

// maybe is the same where zeros may be missing.
func (c *chain) maybe(b kernels.Buffer, n int) operand {
	if b == nil {
		return operand{}
	}
	w, ok := b.(window)
	if !ok {
		return operand{at: at(b, n), memory: b.(buffer).memory}
	}
	if w.run != c.run {
		return operand{}
	}
	return operand{own: w.own, offset: w.offset}
}

// out is an operand of n numbers that a call writes.
func (c *chain) out(b kernels.Buffer, n int) operand {
	if w, ok := b.(window); ok {
		w.own.run = c.run
	}
	return c.in(b, n)
}

// list is one of n row numbers.
func (c *chain) list(l kernels.Ints, n int) operand {
	own, ok := l.(*ownList)
	switch {
	case !ok:
		return operand{at: list(l, n), memory: l.(ints).memory}
	case own.run != c.run:
		return operand{}
	}
	return operand{place: own.place + 1}
}

// encode is the operand as the card reads it.
func (c *chain) encode(o operand, size chainSize) int64 {
	switch {
	case o.own == nil && o.place > 0:
		return marked(len(c.calls)*callBytes+o.place-1, stagedMark)
	case o.own == nil:
		return int64(o.at)
	case o.own.vector:
		return marked(size.vectors+o.own.at+o.offset, ownMark)
	case o.columns:
		return marked(o.own.at*size.rows+o.offset, ownMark)
	}
	return marked(o.own.at*size.rows+o.offset/c.most*size.rows, ownMark)
}

// Marks tell from an address, which is a multiple of four, the number of one
// of the block's own words and that of a byte from the list of calls on.
const (
	ownMark    = 1
	stagedMark = 2
)

func marked(number int, mark int64) int64 { return int64(number)<<2 | mark }

// cardCall is a call as the card reads it: Call of chain.cu.
type cardCall struct {
	code, meet, rows, cols, inner, choice, lanes, slices int32
	x, y                                                 float32
	at                                                   [7]int64
}

const callBytes = int(unsafe.Sizeof(cardCall{}))

// noRows is the number of rows of a call on vectors.
const noRows = -1

// chainCall is a call as it is noted. Rows are the run's if it says none.
type chainCall struct {
	code                      int32
	rows, cols, inner, choice int
	x, y                      float64
	results                   int // operands that it writes: the first ones
	lanes, slices             int
	meet                      bool
	operands                  [7]operand
}

// note adds a call to the run.
func (c *chain) note(call chainCall, operands ...operand) {
	if call.rows == 0 {
		call.rows = c.rows
	}
	copy(call.operands[:], operands)
	c.calls = append(c.calls, call)
}

// chainSize is how rows are divided, and what a block's memory holds.
type chainSize struct {
	rows    int // of a block
	vectors int // numbers before its vectors
	own     int // numbers of its own
	partial int // partial sums
}

// size divides the rows among blocks.
func (c *chain) size() chainSize {
	most := 8 // that a thread has registers for; powers of two
	if c.any((*chainCall).pair) {
		most /= 2
	}
	rows, blocks := 1, c.wanted(c.on.card.Info().Multiprocessors)
	outside := !c.inside(c.sizeFor(1)) // then there is room for any number
	for rows < most && rows*blocks < c.rows && (outside || c.inside(c.sizeFor(2*rows))) {
		rows *= 2
	}
	return c.sizeFor(rows)
}

// wanted is how many blocks there should be at least: one for each
// multiprocessor. But in a product every block reads all weights, and the cache
// that the multiprocessors share feeds no more than about half of them as fast
// as they can read.
func (c *chain) wanted(multiprocessors int) int {
	if c.any((*chainCall).multiplies) {
		return max(1, multiprocessors/2)
	}
	return multiprocessors
}

// inside reports whether all of it has room in shared memory.
func (c *chain) inside(s chainSize) bool { return s.bytes(len(c.calls)) <= c.on.card.Info().Shared }

func (c *chain) sizeFor(rows int) chainSize {
	s := chainSize{rows: rows, vectors: c.width * rows}
	s.own = wholeFours(s.vectors + c.vector)
	for _, call := range c.calls {
		sums := call.slices * rows * call.cols
		if call.pair() {
			sums *= 2
		}
		if call.slices > 1 {
			s.partial = max(s.partial, wholeFours(sums))
		}
	}
	return s
}

// bytes is the memory of a block.
func (s chainSize) bytes(calls int) int { return calls*callBytes + (s.own+s.partial)*wordBytes }

// send puts the calls and what was staged on the card, and says where.
func (c *chain) send(size chainSize) driver.Ptr {
	c.encoded = c.encoded[:0]
	for _, call := range c.calls {
		e := cardCall{
			code: call.code, rows: int32(call.rows), cols: int32(call.cols), inner: int32(call.inner), choice: int32(call.choice),
			lanes: int32(call.lanes), slices: int32(call.slices), x: float32(call.x), y: float32(call.y),
		}
		if call.meet {
			e.meet = 1
		}
		for i, o := range call.operands {
			e.at[i] = c.encode(o, size)
		}
		c.encoded = append(c.encoded, e)
	}
	c.staged.parts[0] = bytesOf(c.encoded)
	return c.on.sent(&c.memory, c.staged.parts...)
}
