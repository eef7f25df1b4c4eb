package main

import (
	"fmt"
	"math/bits"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rowFunc writes the kernel of products with one row: one body for each
// number of vectors, behind a chain of comparisons. It reads rows of B as
// they lie, the last vector under a mask, and many columns at a time, as
// each of their sums by itself waits for its last addition.
func rowFunc(ctx *build.Context, name string, s shape) {
	ctx.Function(name)
	ctx.Attributes(attr.NOSPLIT)
	ctx.Pragma("noescape")
	ctx.Doc(
		fmt.Sprintf("%s computes cols elements of a row of C, 1 to %d.", name, s.lanes*s.vectors),
		"Steps are in bytes; aCol goes to the next k. bias may be nil.",
	)
	ctx.SignatureExpr("func(a *float32, aCol uintptr, b *float32, bRow uintptr, " +
		"c *float32, depth, cols int, bias *float32, accumulate, relu bool)")
	t := tile{Context: ctx, shape: s}
	t.a, t.b, t.depth = t.load("a"), t.load("b"), t.load("depth")
	t.aCol, t.bRow = t.load("aCol"), t.load("bRow")
	last, vectors := t.lastMask()
	for v := s.vectors; v > 1; v-- {
		ctx.CMPQ(vectors, operand.U8(v))
		ctx.JEQ(operand.LabelRef(t.label("loadC", v)))
	}
	for v := 1; v <= s.vectors; v++ {
		t.vectors = v
		t.row(append(make([]reg.Register, v-1), last))
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
		ones, k := t.GP32(), t.K()
		t.MOVL(operand.I32(-1), ones)
		t.BZHIL(rest.As32(), ones, ones)
		t.KMOVW(ones, k)
		return k, vectors
	}
	at, v := t.GP64(), t.YMM()
	t.LEAQ(t.masks, at)
	t.SHLQ(operand.U8(2), rest)
	t.SUBQ(rest, at)
	t.VMOVUPS(operand.Mem{Base: at, Disp: 16 * 4}, v)
	return v, vectors
}

// row writes the kernel for one number of vectors; masks are those of each
// of them, nil for whole ones.
func (t *tile) row(masks []reg.Register) {
	acc := make([]reg.VecVirtual, t.vectors)
	for v := range acc {
		acc[v] = t.vector()
	}
	t.acc = [][]reg.VecVirtual{acc}
	t.Label(t.label("loadC", t.vectors))
	t.startRow(masks)
	t.TESTQ(t.depth, t.depth)
	t.JE(operand.LabelRef(t.label("store", t.vectors)))
	t.Label(t.label("loop", t.vectors))
	t.stepRow(masks)
	t.DECQ(t.depth)
	t.JNE(operand.LabelRef(t.label("loop", t.vectors)))
	t.Label(t.label("store", t.vectors))
	t.addBias(t.vectors, masks)
	t.clamp(t.vectors)
	c := t.load("c")
	for v, sum := range acc {
		t.write(sum, v, masks[v], c)
	}
	t.leave()
}

// startRow sets the accumulators to C, or to zero.
func (t *tile) startRow(masks []reg.Register) {
	begin := operand.LabelRef(t.label("begin", t.vectors))
	for _, sum := range t.acc[0] {
		t.VXORPS(sum, sum, sum)
	}
	t.skipUnless("accumulate", begin)
	c := t.load("c")
	for v, sum := range t.acc[0] {
		t.read(c, v, masks[v], sum)
	}
	t.Label(string(begin))
}

// stepRow adds one k to every accumulator.
func (t *tile) stepRow(masks []reg.Register) {
	a := t.vector()
	t.VBROADCASTSS(operand.Mem{Base: t.a}, a)
	for v, sum := range t.acc[0] {
		if masks[v] == nil {
			t.VFMADD231PS(operand.Mem{Base: t.b, Disp: v * t.lanes * 4}, a, sum)
			continue
		}
		b := t.vector()
		t.read(t.b, v, masks[v], b)
		t.VFMADD231PS(b, a, sum)
	}
	t.ADDQ(t.aCol, t.a)
	t.ADDQ(t.bRow, t.b)
}
