//go:build gpu

package cuda

import (
	"fmt"
	"unsafe"

	"dgsbench/kernels"
	"dgsbench/kernels/cuda/driver"
)

// own is memory of each block of a chain: numbers of every row, or a vector.
type own struct {
	at     int // position among the numbers of a row, or among those of vectors
	vector bool
	run    int // the last one that wrote to it
}

// window is a view of it.
type window struct {
	*own
	offset, n int // as if all rows were there, matrix after matrix
}

func (w window) Len() int { return w.n }

// ownList is a list that the host writes in every run.
type ownList struct {
	n       int
	run     int // the last one that wrote to it
	numbers operand
}

func (l *ownList) Len() int { return l.n }

// reservedBytes of a block's memory are left for calls and partial sums.
const reservedBytes = 16 << 10

// NewBuffer is memory of every block, or of the card if one row is too much.
func (c *chain) NewBuffer(n int) kernels.Buffer {
	width := n / c.maxRows
	if n%c.maxRows != 0 || (c.width+c.vector+width)*wordBytes+reservedBytes > c.on.card.Info().Shared {
		return c.on.NewBuffer(n)
	}
	o := &own{at: c.width}
	c.width += wholeFours(width)
	return window{o, 0, n}
}

// NewVector is memory of every block.
func (c *chain) NewVector(n int) kernels.Buffer {
	o := &own{at: c.vector, vector: true}
	c.vector += n
	return window{o, 0, n}
}

// wholeFours rounds up, so that what follows can be read four numbers at a time.
func wholeFours(n int) int { return (n + fours - 1) / fours * fours }

// NewInts is written in every run; before that it is zeros.
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

func (c *chain) ViewInts(l kernels.Ints, offset, n int) kernels.Ints {
	return c.on.ViewInts(l, offset, n)
}

var padding [lineBytes]byte

// stage has the host's part copied to the card together with the calls.
func (c *chain) stage(part []byte) operand {
	o := operand{position: c.staged + 1}
	c.parts = append(c.parts, part)
	c.staged += len(part)
	if over := c.staged % lineBytes; over > 0 {
		c.parts = append(c.parts, padding[over:])
		c.staged += lineBytes - over
	}
	return o
}

func (c *chain) Write(dst kernels.Buffer, src []float32) {
	cols := len(src) / c.rows
	c.add(chainCall{code: copyRows, cols: cols, inner: cols, choice: cols, results: 1},
		c.out(dst, len(src)), c.stage(bytesOf(src)))
}

func (c *chain) WriteInts(dst kernels.Ints, src []int32) {
	l := dst.(*ownList)
	l.run, l.numbers = c.run, c.stage(bytesOf(src))
}

// operand is what a call reads or writes: on the card, among what was staged,
// or in a block's own memory. None of them is zeros.
type operand struct {
	at       uint64
	memory   *memory // that at is in
	position int     // staged, plus one
	own      *own
	offset   int  // in own, as a window's
	columns  bool // of a matrix, so that offset is one of a row
	width    int  // of these columns
}

// read is an operand of n numbers that a call reads.
func (c *chain) read(b kernels.Buffer, n int) operand {
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
	return c.read(b, n)
}

// list is an operand of n row numbers.
func (c *chain) list(l kernels.Ints, n int) operand {
	own, ok := l.(*ownList)
	switch {
	case !ok:
		return operand{at: atInts(l, n), memory: l.(ints).memory}
	case own.run != c.run:
		return operand{}
	}
	return own.numbers
}

// chainCall is a recorded call. rows is 0 for all rows of the run.
type chainCall struct {
	code                      int32
	rows, cols, inner, choice int
	x, y                      float64
	results                   int // operands that it writes: the first ones
	lanes, slices             int
	barrier                   bool
	operands                  [7]operand
}

// noRows is the number of rows of a call on vectors.
const noRows = -1

// isProduct reports whether it is a product, whose operands are the results,
// the left sides, weights and bias; isPair, whether it is two.
func (p *chainCall) isProduct() bool { return p.lanes > 0 }

func (p *chainCall) isPair() bool { return p.isProduct() && p.operands[1] != (operand{}) }

// add adds a call to the run.
func (c *chain) add(call chainCall, operands ...operand) {
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

// bytes is the memory of a block.
func (s chainSize) bytes(calls int) int { return calls*callBytes + (s.own+s.partial)*wordBytes }

// fits reports whether all of it fits in shared memory.
func (c *chain) fits(s chainSize) bool { return s.bytes(len(c.calls)) <= c.on.card.Info().Shared }

// size divides the rows among blocks, so that there is at least one for each
// multiprocessor. But in a product every block reads all weights, and the cache
// that the multiprocessors share feeds no more than about half of them as fast as
// they can read.
func (c *chain) size() chainSize {
	limit := 8 // rows that a thread has registers for; powers of two
	rows, blocks := 1, c.on.card.Info().Multiprocessors
	products, pairs := false, false
	for i := range c.calls {
		products, pairs = products || c.calls[i].isProduct(), pairs || c.calls[i].isPair()
	}
	if products {
		blocks = max(1, blocks/2)
	}
	if pairs {
		limit /= 2
	}
	outside := !c.fits(c.sizeFor(1)) // then any number of rows fits
	for rows < limit && rows*blocks < c.rows && (outside || c.fits(c.sizeFor(2*rows))) {
		rows *= 2
	}
	return c.sizeFor(rows)
}

func (c *chain) sizeFor(rows int) chainSize {
	s := chainSize{rows: rows, vectors: c.width * rows}
	s.own = wholeFours(s.vectors + c.vector)
	for _, call := range c.calls {
		sums := call.slices * rows * call.cols
		if call.isPair() {
			sums *= 2
		}
		if call.slices > 1 {
			s.partial = max(s.partial, wholeFours(sums))
		}
	}
	return s
}

// allocate is the shared memory of a block, and the address of the numbers and
// partial sums of all blocks if they do not fit there: a layer may be wide.
func (c *chain) allocate(s chainSize, blocks int) (shared int, outside uint64) {
	if c.fits(s) {
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

// cardCall is a call as the card reads it: Call of chain.cu.
type cardCall struct {
	code, barrier, rows, cols, inner, choice, lanes, slices int32
	x, y                                                    float32
	at                                                      [7]int64
}

const callBytes = int(unsafe.Sizeof(cardCall{}))

// send puts the calls and what was staged on the card, and returns the address.
func (c *chain) send(size chainSize) driver.Ptr {
	c.encoded = c.encoded[:0]
	for _, call := range c.calls {
		e := cardCall{
			code: call.code, barrier: int32(flag(call.barrier)), rows: int32(call.rows), cols: int32(call.cols), inner: int32(call.inner),
			choice: int32(call.choice), lanes: int32(call.lanes), slices: int32(call.slices), x: float32(call.x), y: float32(call.y),
		}
		for i, o := range call.operands {
			e.at[i] = c.encode(o, size)
		}
		c.encoded = append(c.encoded, e)
	}
	c.parts[0] = bytesOf(c.encoded)
	return c.on.sendTogether(&c.memory, c.parts...)
}

// Marks distinguish from an address, which is a multiple of four, the number of
// one of the block's own words and that of a byte from the list of calls on.
const (
	ownMark    = 1
	stagedMark = 2
)

func marked(number int, mark int64) int64 { return int64(number)<<2 | mark }

// encode is the operand as the card reads it.
func (c *chain) encode(o operand, size chainSize) int64 {
	switch {
	case o.own == nil && o.position > 0:
		return marked(len(c.calls)*callBytes+o.position-1, stagedMark)
	case o.own == nil:
		return int64(o.at)
	case o.own.vector:
		return marked(size.vectors+o.own.at+o.offset, ownMark)
	case o.columns:
		return marked(o.own.at*size.rows+o.offset, ownMark)
	}
	return marked(o.own.at*size.rows+o.offset/c.maxRows*size.rows, ownMark)
}
