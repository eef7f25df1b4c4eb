package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	// rowsAhead is how many rows before its turn a row is prefetched.
	rowsAhead = 4
	// prefetched is how many bytes of a row are; the processor fetches the rest
	// by itself.
	prefetched = 1024
	// unrolled is how many vectors a loop copies.
	unrolled = 4
)

// rowKernels writes the copy of rows, in registers of eight lanes at all levels: it
// waits for memory.
func rowKernels(ctx *build.Context) {
	c := rowCopy{machine: &machine{registers: registers{ctx, 8}}}
	c.function("copyRows", "func(dst, src *float32, to, from *int32, rows, cols, dstStride, srcStride int)",
		"copies row from[i] of src to row to[i] of dst, in order, without those where",
		"to[i] is negative. Without to or from it is row i.")
	dst, src := c.matrix("dst", "to"), c.matrix("src", "from")
	c.rows, c.bytes = c.load("rows"), c.load("cols")
	c.SHLQ(operand.U8(2), c.bytes)
	c.i = c.counter().(reg.GPVirtual)
	c.repeat(c.rows, operand.U8(1), operand.U8(1), []reg.Register{c.i}, func() {
		c.prefetch(dst)
		c.prefetch(src)
		next := c.label("next")
		c.row(dst, c.i, next)
		c.row(src, c.i, next)
		c.one(dst.at, src.at)
		c.Label(next)
	})
	c.leave()
}

// rowCopy writes the kernel.
type rowCopy struct {
	*machine
	rows, i reg.GPVirtual // rows that are left, and the one at hand
	bytes   reg.GPVirtual // of a row
}

// rowMatrix is one of the two matrices.
type rowMatrix struct {
	base, index, stride reg.GPVirtual
	at                  reg.GPVirtual // the row at hand
}

func (c rowCopy) matrix(name, index string) rowMatrix {
	m := rowMatrix{c.load(name), c.load(index), c.load(name + "Stride"), c.GP64()}
	c.SHLQ(operand.U8(2), m.stride)
	return m
}

// row sets at to row i, or jumps if it has a negative number.
func (c rowCopy) row(m rowMatrix, i reg.GPVirtual, negative string) {
	listed := c.label("listed")
	c.MOVQ(i, m.at)
	c.TESTQ(m.index, m.index)
	c.JE(operand.LabelRef(listed))
	c.MOVLQSX(operand.Mem{Base: m.index, Index: i, Scale: 4}, m.at)
	c.TESTQ(m.at, m.at)
	c.JLT(operand.LabelRef(negative))
	c.Label(listed)
	c.IMULQ(m.stride, m.at)
	c.ADDQ(m.base, m.at)
}

// prefetch fetches the beginning of a row whose turn is later, if an index says
// which one that is: others come one after another.
func (c rowCopy) prefetch(m rowMatrix) {
	done := c.label("fetched")
	c.TESTQ(m.index, m.index)
	c.JE(operand.LabelRef(done))
	c.CMPQ(c.rows, operand.U8(rowsAhead))
	c.JLE(operand.LabelRef(done))
	ahead, left, limit := c.GP64(), c.GP64(), c.GP64()
	c.LEAQ(operand.Mem{Base: c.i, Disp: rowsAhead}, ahead)
	c.row(m, ahead, done)
	c.MOVQ(operand.U32(prefetched), limit)
	c.MOVQ(c.bytes, left)
	c.CMPQ(left, limit)
	c.CMOVQGT(limit, left)
	c.repeat(left, operand.U8(1), operand.U8(lineBytes), []reg.Register{m.at}, func() {
		c.PREFETCHT0(operand.Mem{Base: m.at})
	})
	c.Label(done)
}

// one copies a row. What is left behind whole vectors goes as a vector that
// overlaps the last one; a row shorter than a vector, number by number.
func (c rowCopy) one(dst, src reg.GPVirtual) {
	vector := 4 * c.lanes
	next, short, left := c.label("copied"), c.label("short"), c.GP64()
	vectors := func(n int) {
		width := operand.U32(n * vector)
		c.repeat(left, width, width, []reg.Register{dst, src}, func() {
			for v, loaded := range c.vecs(n) {
				c.VMOVUPS(c.at(src, v), loaded)
				c.VMOVUPS(loaded, c.at(dst, v))
			}
		})
	}
	c.MOVQ(c.bytes, left)
	vectors(unrolled)
	vectors(1)
	c.TESTQ(left, left)
	c.JE(operand.LabelRef(next))
	c.CMPQ(c.bytes, operand.U8(vector))
	c.JLT(operand.LabelRef(short))
	v := c.fresh(c.VMOVUPS, operand.Mem{Base: src, Index: left, Scale: 1, Disp: -vector})
	c.VMOVUPS(v, operand.Mem{Base: dst, Index: left, Scale: 1, Disp: -vector})
	c.JMP(operand.LabelRef(next))
	c.Label(short)
	c.repeat(left, operand.U8(4), operand.U8(4), []reg.Register{dst, src}, func() {
		number := c.GP32()
		c.MOVL(operand.Mem{Base: src}, number)
		c.MOVL(number, operand.Mem{Base: dst})
	})
	c.Label(next)
}
