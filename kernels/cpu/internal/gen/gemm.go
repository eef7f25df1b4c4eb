package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// gemmKernels are the microkernels of matrix products.
func gemmKernels(ctx *build.Context) {
	tileFunc(ctx, "gemmAVX512Wide", tileShape{lanes: 16, vectors: 2, rows: 14})
	tileFunc(ctx, "gemmAVX512Narrow", tileShape{lanes: 16, vectors: 1, rows: 14})
	rowFunc(ctx, "gemmRowAVX512", tileShape{lanes: 16, vectors: 8, rows: 2})
	masks := maskTable(ctx, "gemmMasks")
	tileFunc(ctx, "gemmAVX2Wide", tileShape{lanes: 8, vectors: 2, rows: 6, masks: masks})
	tileFunc(ctx, "gemmAVX2Narrow", tileShape{lanes: 8, vectors: 1, rows: 6, masks: masks})
	rowFunc(ctx, "gemmRowAVX2", tileShape{lanes: 8, vectors: 13, rows: 1, masks: masks})
	rowFunc(ctx, "gemmTwoRowsAVX2", tileShape{lanes: 8, vectors: 6, rows: 2, masks: masks})
	transposeFunc(ctx)
}

// tileShape is the part of C that a microkernel keeps in registers: up to rows
// rows of vectors*lanes columns.
type tileShape struct {
	lanes, vectors, rows int
	masks                operand.Mem // AVX2: see maskTable
}

// tileFunc writes a microkernel: one body for each number of rows, behind a
// chain of comparisons.
//
// A is read element by element with a stride for rows and one for k, so one
// kernel serves A and its transpose without packing. B is read in whole
// vectors, row after row.
func tileFunc(ctx *build.Context, name string, s tileShape) {
	t := newTile(ctx, s)
	t.function(name, "func(a *float32, aRow, aCol uintptr, b *float32, bRow uintptr, "+
		"c *float32, cRow uintptr, depth, tiles, rows, cols int, bias *float32, accumulate, relu bool)",
		fmt.Sprintf("computes tiles of C, one below another, each of rows x cols elements, at most %d x %d.", s.rows, s.lanes*s.vectors),
		"Steps are in bytes; aRow goes to the next row of op(A), aCol to the next k.",
		fmt.Sprintf("B is read in whole rows of %d. bias may be nil.", s.lanes*s.vectors))
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
	registers
	vectors, rows int
	masks         operand.Mem
	a, b, depth   reg.GPVirtual
	aCol, bRow    reg.GPVirtual
	odd           map[int]reg.GPVirtual // odd multiples of A's row step
	rowCount      reg.GPVirtual
	acc           [][]V
}

func newTile(ctx *build.Context, s tileShape) *tile {
	return &tile{registers: registers{ctx, s.lanes}, vectors: s.vectors, rows: s.rows, masks: s.masks, odd: map[int]reg.GPVirtual{}}
}

func (t *tile) label(what string, rows int) string { return fmt.Sprintf("%s%d", what, rows) }

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
		t.acc = append(t.acc, t.vecs(t.vectors))
	}
	t.start(rows)
	t.overDepth(rows, t.step)
	t.finish(rows)
	t.Label(t.label("next", rows))
	t.next(rows)
}

// next goes to the tile below, if there is one: op(A) and C are then read from there.
func (t *tile) next(rows int) {
	last := operand.LabelRef(t.label("last", rows))
	t.DECQ(t.parameter("tiles"))
	t.JE(last)
	for _, matrix := range []string{"a", "c"} {
		step := t.load(matrix + "Row")
		t.IMUL3Q(operand.Imm(uint64(rows)), step, step)
		t.ADDQ(step, t.parameter(matrix))
	}
	t.Load(t.Param("a"), t.a)
	t.Load(t.Param("b"), t.b)
	t.Load(t.Param("depth"), t.depth)
	t.JMP(operand.LabelRef(t.label("rows", rows)))
	t.Label(string(last))
	t.leave()
}

// parameter returns the place of a parameter in the frame.
func (t *tile) parameter(name string) operand.Mem {
	at, err := t.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return at.Addr
}

// overDepth goes through k; n tells its labels from those of other loops.
func (t *tile) overDepth(n int, step func()) {
	store, loop := operand.LabelRef(t.label("store", n)), operand.LabelRef(t.label("loop", n))
	t.TESTQ(t.depth, t.depth)
	t.JE(store)
	t.Label(string(loop))
	step()
	t.DECQ(t.depth)
	t.JNE(loop)
	t.Label(string(store))
}

// step adds one k to every accumulator.
func (t *tile) step() {
	b := make([]V, t.vectors)
	for v := range b {
		b[v] = t.set(t.at(t.b, v))
	}
	for r, row := range t.acc {
		if t.lanes == 16 && t.vectors == 1 {
			t.VFMADD231PS_BCST(t.element(r), b[0], row[0])
			continue
		}
		a := t.broadcast(t.element(r))
		for v := range row {
			t.VFMADD231PS(b[v], a, row[v])
		}
	}
	t.ADDQ(t.aCol, t.a)
	t.ADDQ(t.bRow, t.b)
}

// columnMasks makes masks of the columns that exist, one a vector.
func (t *tile) columnMasks() []reg.Register {
	cols := t.load("cols")
	if t.lanes == 8 {
		return t.masksFor(cols, t.vectors)
	}
	masks, ones := make([]reg.Register, t.vectors), t.GP64()
	t.MOVQ(operand.I32(-1), ones)
	t.BZHIQ(cols, ones, ones)
	for v := range masks {
		masks[v] = t.K()
		t.KMOVW(ones.As32(), masks[v])
		t.SHRQ(operand.U8(16), ones)
	}
	return masks
}

// masksFor are AVX2's masks of the first n lanes of vectors vectors.
func (t *tile) masksFor(n reg.GPVirtual, vectors int) []reg.Register {
	masks, at := make([]reg.Register, vectors), t.GP64()
	t.LEAQ(t.masks, at)
	t.SHLQ(operand.U8(2), n)
	t.SUBQ(n, at)
	for v := range masks {
		masks[v] = t.set(operand.Mem{Base: at, Disp: (16 + v*t.lanes) * 4})
	}
	return masks
}

// clear sets the accumulators to zero.
func (t *tile) clear() {
	for _, row := range t.acc {
		for _, acc := range row {
			t.VXORPS(acc, acc, acc)
		}
	}
}

// start sets the accumulators to C, or to zero.
func (t *tile) start(rows int) {
	begin := operand.LabelRef(t.label("begin", rows))
	t.clear()
	t.skipUnless("accumulate", begin)
	t.eachVector(t.columnMasks(), func(acc V, mask reg.Register, c operand.Mem) { t.masked(c, mask, acc) })
	t.Label(string(begin))
}

// eachVector calls f with every accumulator, its mask and where it is in C.
func (t *tile) eachVector(masks []reg.Register, f func(acc V, mask reg.Register, c operand.Mem)) {
	c, step := t.load("c"), reg.GPVirtual(nil)
	if t.rows > 1 {
		step = t.load("cRow")
	}
	for _, row := range t.acc {
		for v, acc := range row {
			f(acc, masks[v], t.at(c, v))
		}
		if step != nil {
			t.ADDQ(step, c)
		}
	}
}

// skipUnless jumps to the label if the argument is false.
func (t *tile) skipUnless(argument string, label operand.LabelRef) {
	set := t.GP32()
	t.Load(t.Param(argument), set)
	t.TESTL(set, set)
	t.JE(label)
}

// finish adds the bias, applies the ReLU and stores.
func (t *tile) finish(rows int) {
	masks := t.columnMasks()
	t.addBias(rows, masks)
	t.clamp(rows)
	if t.lanes == 16 {
		t.store(masks)
		return
	}
	// Masked stores are slow without AVX-512: whole tiles go without, and those that
	// end with half a vector.
	cols, next := t.load("cols"), operand.LabelRef(t.label("next", rows))
	for _, half := range []int{0, 1} {
		other := operand.LabelRef(t.label([]string{"half", "masked"}[half], rows))
		t.CMPQ(cols, operand.Imm(uint64(t.vectors*t.lanes-half*t.lanes/2)))
		t.JNE(other)
		t.eachVector(masks, func(acc V, mask reg.Register, c operand.Mem) {
			if half == 1 && mask == masks[t.vectors-1] {
				t.VMOVUPS(acc.AsX(), c)
			} else {
				t.VMOVUPS(acc, c)
			}
		})
		t.JMP(next)
		t.Label(string(other))
	}
	t.store(masks)
}

func (t *tile) addBias(rows int, masks []reg.Register) {
	none := operand.LabelRef(t.label("noBias", rows))
	bias := t.load("bias")
	t.TESTQ(bias, bias)
	t.JE(none)
	for v := range t.vectors {
		b := t.vec()
		t.masked(t.at(bias, v), masks[v], b)
		for _, row := range t.acc {
			t.VADDPS(b, row[v], row[v])
		}
	}
	t.Label(string(none))
}

// clamp is the ReLU. The maximum gives its second source where one is NaN,
// so NaN stays NaN.
func (t *tile) clamp(rows int) {
	none := operand.LabelRef(t.label("noReLU", rows))
	t.skipUnless("relu", none)
	zero := t.zero()
	for _, row := range t.acc {
		for _, acc := range row {
			t.VMAXPS(acc, zero, acc)
		}
	}
	t.Label(string(none))
}

func (t *tile) store(masks []reg.Register) {
	t.eachVector(masks, func(acc V, mask reg.Register, c operand.Mem) { t.storeMasked(acc, mask, c) })
}
