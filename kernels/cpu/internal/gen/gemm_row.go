package main

import (
	"fmt"
	"math/bits"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rowFunc writes the kernel of products with few rows: one body for each number of
// rows and of vectors, behind a chain of comparisons. It reads rows of B as
// they lie, the last vector under a mask, and many columns at a time, as
// each of their sums by itself waits for its last addition.
func rowFunc(ctx *build.Context, name string, s tileShape) {
	t := newTile(ctx, s)
	t.function(name, "func(a *float32, aRow, aCol uintptr, b *float32, bRow uintptr, "+
		"c *float32, cRow uintptr, depth, rows, cols int, bias *float32, relu bool)",
		fmt.Sprintf("computes rows x cols elements of C, at most %d x %d.", s.rows, s.lanes*s.vectors),
		"Steps are in bytes; aRow goes to the next row of op(A), aCol to the next k. bias may be nil.")
	t.arguments()
	last, body := t.lastMask()
	t.IMUL3Q(operand.Imm(uint64(s.vectors)), t.rowCount, t.rowCount)
	t.ADDQ(t.rowCount, body)
	for n := s.rows * s.vectors; n > 1; n-- {
		ctx.CMPQ(body, operand.U8(s.vectors+n))
		ctx.JEQ(operand.LabelRef(t.label("clear", n)))
	}
	for n := range s.rows * s.vectors {
		t.vectors = n%s.vectors + 1
		t.row(n+1, n/s.vectors+1, append(make([]reg.Register, t.vectors-1), last))
	}
}

// lastMask makes the mask of the last vector, and the number of vectors.
func (t *tile) lastMask() (mask reg.Register, vectors reg.GPVirtual) {
	vectors, rest := t.load("cols"), t.GP64()
	t.DECQ(vectors)
	t.MOVQ(vectors, rest)
	t.SHRQ(operand.U8(bits.Len(uint(t.lanes-1))), vectors)
	t.INCQ(vectors)
	t.ANDQ(operand.U8(t.lanes-1), rest)
	t.INCQ(rest)
	if t.lanes == 16 {
		return t.firstLanes(rest), vectors
	}
	return t.masksFor(rest, 1)[0], vectors
}

// row writes body n, for one number of rows and vectors; masks are those of each
// of them, nil for whole ones.
func (t *tile) row(n, rows int, masks []reg.Register) {
	t.acc = nil
	for range rows {
		t.acc = append(t.acc, t.vecs(t.vectors))
	}
	t.Label(t.label("clear", n))
	t.clear()
	t.overDepth(n, func() { t.stepRow(masks) })
	t.addBias(n, masks)
	t.clamp(n)
	t.store(masks)
	t.leave()
}

// depthAhead is how many rows of B before it is needed a row is prefetched.
const depthAhead = 4

// stepRow adds one k to every accumulator.
func (t *tile) stepRow(masks []reg.Register) {
	if t.lanes == 8 && len(t.acc) > 1 { // few columns at a time, so rows of B are far apart
		for line := range (len(masks)*t.lanes*4+lineBytes-1)/lineBytes + 1 {
			t.PREFETCHT0(operand.Mem{Base: t.b, Index: t.bRow, Scale: depthAhead, Disp: lineBytes * line})
		}
	}
	a := make([]V, len(t.acc))
	for r := range a {
		a[r] = t.broadcast(t.element(r))
	}
	for v, mask := range masks {
		b := operand.Op(t.at(t.b, v))
		if mask != nil || len(a) > 1 {
			to := t.vec()
			t.masked(t.at(t.b, v), mask, to)
			b = to
		}
		for r, row := range t.acc {
			t.VFMADD231PS(b, a[r], row[v])
		}
	}
	t.ADDQ(t.aCol, t.a)
	t.ADDQ(t.bRow, t.b)
}

// transposeFunc writes the transposition of eight rows, eight elements of
// each at a time, that packs a transposed operand.
func transposeFunc(ctx *build.Context) {
	r := registers{ctx, 8}
	r.function("transpose8", "func(dst *float32, dstRow uintptr, rows *[8]*float32, blocks int)",
		"writes the first 8*blocks elements of the 8 rows as columns: as 8*blocks",
		"rows of 8, dstRow bytes apart. It needs AVX.")
	dst, step, blocks := r.load("dst"), r.load("dstRow"), r.load("blocks")
	table, at := r.load("rows"), ctx.GP64()
	var source [8]reg.GPVirtual
	for i := range source {
		source[i] = ctx.GP64()
		ctx.MOVQ(operand.Mem{Base: table, Disp: 8 * i}, source[i])
	}
	ctx.XORQ(at, at)

	ctx.Label("block")
	for half := range 2 {
		var rows [4]V // each with row i below and row i+4 above
		for i := range rows {
			four := func(row int) operand.Mem {
				return operand.Mem{Base: source[row], Index: at, Scale: 1, Disp: 16 * half}
			}
			rows[i] = ctx.YMM()
			ctx.VMOVUPS(four(i), rows[i].AsX())
			ctx.VINSERTF128(operand.Imm(1), four(i+4), rows[i], rows[i])
		}
		for _, column := range columns(ctx, rows) {
			ctx.VMOVUPS(column, operand.Mem{Base: dst})
			ctx.ADDQ(step, dst)
		}
	}
	ctx.ADDQ(operand.Imm(32), at)
	ctx.DECQ(blocks)
	ctx.JNE(operand.LabelRef("block"))
	r.leave()
}

// columns transposes the 4 x 4 blocks in the two halves of four registers.
func columns(ctx *build.Context, rows [4]V) [4]V {
	var pairs, out [4]V
	for i := range pairs {
		pairs[i], out[i] = ctx.YMM(), ctx.YMM()
	}
	ctx.VUNPCKLPS(rows[1], rows[0], pairs[0])
	ctx.VUNPCKHPS(rows[1], rows[0], pairs[1])
	ctx.VUNPCKLPS(rows[3], rows[2], pairs[2])
	ctx.VUNPCKHPS(rows[3], rows[2], pairs[3])
	low, high := operand.Imm(0x44), operand.Imm(0xee)
	ctx.VSHUFPS(low, pairs[2], pairs[0], out[0])
	ctx.VSHUFPS(high, pairs[2], pairs[0], out[1])
	ctx.VSHUFPS(low, pairs[3], pairs[1], out[2])
	ctx.VSHUFPS(high, pairs[3], pairs[1], out[3])
	return out
}
