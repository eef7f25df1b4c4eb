//go:build gpu

package cuda

import (
	"slices"
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
	call.meet = c.meets.before(operands[:call.results], operands[call.results:], call.slices > 1)
	c.calls = append(c.calls, call)
}

// meeting says when the threads of a block must wait for each other: before a
// call that touches what another one wrote since they did, or that writes what
// another one read.
type meeting struct{ read, written []any }

// partialSums stands for the memory that they are in.
type partialSums struct{}

func (m *meeting) reset() { m.read, m.written = m.read[:0], m.written[:0] }

func (m *meeting) before(results, reads []operand, sums bool) (meet bool) {
	for _, o := range reads {
		meet = meet || slices.Contains(m.written, o.where())
	}
	for _, o := range results {
		meet = meet || slices.Contains(m.written, o.where()) || slices.Contains(m.read, o.where())
	}
	meet = meet || sums && slices.Contains(m.written, any(partialSums{}))
	if meet {
		m.reset()
	}
	for _, o := range reads {
		m.read = append(m.read, o.where())
	}
	for _, o := range results {
		m.written = append(m.written, o.where())
	}
	if sums {
		m.written = append(m.written, partialSums{})
	}
	return meet
}

// where is the memory of an operand.
func (o operand) where() any {
	switch {
	case o.own != nil:
		return o.own
	case o.memory != nil:
		return o.memory
	}
	return nil
}

// chainSize is how rows are divided, and what a block's memory holds.
type chainSize struct {
	rows    int // of a block
	vectors int // numbers before its vectors
	own     int // numbers of its own
	partial int // partial sums
}

// size gives every multiprocessor some rows: each block reads all parameters,
// and more blocks than run at a time bring nothing.
func (c *chain) size() chainSize {
	const most = 8 // that a thread has registers for; powers of two
	info := c.on.card.Info()
	rows := 1
	for rows < most && rows*info.Multiprocessors < c.rows && c.sizeFor(2*rows).bytes(len(c.calls)) <= info.Shared {
		rows *= 2
	}
	return c.sizeFor(rows)
}

func (c *chain) sizeFor(rows int) chainSize {
	s := chainSize{rows: rows, vectors: c.width * rows}
	s.own = s.vectors + c.vector
	for _, call := range c.calls {
		if call.slices > 1 {
			s.partial = max(s.partial, call.slices*rows*call.cols)
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
