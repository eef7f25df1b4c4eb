package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// shape is the part of C that a microkernel keeps in registers: up to rows
// rows of vectors*lanes columns.
type shape struct {
	lanes, vectors, rows int
	masks                operand.Mem // AVX2: see maskTable
}

// tileFunc writes a microkernel: one body for each number of rows, behind a
// chain of comparisons.
//
// A is read element by element with a stride for rows and one for k, so one
// kernel serves A and its transpose without packing. B is read in whole
// vectors, row after row.
func tileFunc(ctx *build.Context, name string, s shape) {
	ctx.Function(name)
	ctx.Attributes(attr.NOSPLIT)
	ctx.Pragma("noescape")
	ctx.Doc(
		fmt.Sprintf("%s computes rows x cols elements of C, at most %d x %d.", name, s.rows, s.lanes*s.vectors),
		"Steps are in bytes; aRow goes to the next row of op(A), aCol to the next k.",
		fmt.Sprintf("B is read in whole rows of %d. bias may be nil.", s.lanes*s.vectors),
	)
	ctx.SignatureExpr("func(a *float32, aRow, aCol uintptr, b *float32, bRow uintptr, " +
		"c *float32, cRow uintptr, depth, rows, cols int, bias *float32, accumulate, relu bool)")
	t := tile{Context: ctx, shape: s, odd: map[int]reg.GPVirtual{}}
	t.arguments()
	for rows := s.rows; rows > 1; rows-- {
		ctx.CMPQ(t.rowCount, operand.Imm(uint64(rows)))
		ctx.JEQ(operand.LabelRef(t.label("rows", rows)))
	}
	for rows := 1; rows <= s.rows; rows++ {
		ctx.Label(t.label("rows", rows))
		t.body(rows)
	}
}

// tile holds the registers of the kernel that is being written.
type tile struct {
	*build.Context
	shape
	a, b, depth reg.GPVirtual
	aCol, bRow  reg.GPVirtual
	odd         map[int]reg.GPVirtual // odd multiples of A's row step
	rowCount    reg.GPVirtual
	acc         [][]reg.VecVirtual
}

func (t *tile) label(what string, rows int) string { return fmt.Sprintf("%s%d", what, rows) }

func (t *tile) vector() reg.VecVirtual {
	if t.lanes == 16 {
		return t.ZMM()
	}
	return t.YMM()
}

func (t *tile) load(name string) reg.GPVirtual {
	r := t.GP64()
	t.Load(t.Param(name), r)
	return r
}

func (t *tile) arguments() {
	t.a, t.b, t.depth = t.load("a"), t.load("b"), t.load("depth")
	t.aCol, t.bRow = t.load("aCol"), t.load("bRow")
	t.odd[1] = t.load("aRow")
	// Each is a smaller one and a multiple of the step: 3 = 1+2, 5 = 1+4,
	// 7 = 3+4, 9 = 1+8, 11 = 3+8, 13 = 5+8.
	for odd := 3; odd < t.rows; odd += 2 {
		scale := 2
		for 2*scale < odd {
			scale *= 2
		}
		t.odd[odd] = t.GP64()
		t.LEAQ(operand.Mem{Base: t.odd[odd-scale], Index: t.odd[1], Scale: uint8(scale)}, t.odd[odd])
	}
	t.rowCount = t.load("rows")
}

// element is op(A)[row][current k]. Every row is an odd multiple of the row
// step, times a power of two that the address takes as its scale.
func (t *tile) element(row int) operand.Mem {
	if row == 0 {
		return operand.Mem{Base: t.a}
	}
	scale := 1
	for row%2 == 0 {
		row, scale = row/2, scale*2
	}
	return operand.Mem{Base: t.a, Index: t.odd[row], Scale: uint8(scale)}
}

// body writes the kernel for one number of rows.
func (t *tile) body(rows int) {
	t.acc = nil
	for range rows {
		var row []reg.VecVirtual
		for range t.vectors {
			row = append(row, t.vector())
		}
		t.acc = append(t.acc, row)
	}
	t.start(rows)
	t.TESTQ(t.depth, t.depth)
	t.JE(operand.LabelRef(t.label("store", rows)))
	t.Label(t.label("loop", rows))
	t.step()
	t.DECQ(t.depth)
	t.JNE(operand.LabelRef(t.label("loop", rows)))
	t.Label(t.label("store", rows))
	t.finish(rows)
	t.leave()
}

// step adds one k to every accumulator.
func (t *tile) step() {
	b := make([]reg.VecVirtual, t.vectors)
	for v := range b {
		b[v] = t.vector()
		t.VMOVUPS(operand.Mem{Base: t.b, Disp: v * t.lanes * 4}, b[v])
	}
	for r, row := range t.acc {
		if t.lanes == 16 && t.vectors == 1 {
			t.VFMADD231PS_BCST(t.element(r), b[0], row[0])
			continue
		}
		a := t.vector()
		t.VBROADCASTSS(t.element(r), a)
		for v := range row {
			t.VFMADD231PS(b[v], a, row[v])
		}
	}
	t.ADDQ(t.aCol, t.a)
	t.ADDQ(t.bRow, t.b)
}
