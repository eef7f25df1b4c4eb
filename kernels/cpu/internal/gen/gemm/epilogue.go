package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// maskTable is sixteen ones and sixteen zeros: the AVX2 masks that let n
// columns through start at element 16-n.
func maskTable(ctx *build.Context) operand.Mem {
	table := ctx.StaticGlobal("gemmMasks")
	ctx.DataAttributes(attr.RODATA | attr.NOPTR)
	for range 16 {
		ctx.AppendDatum(operand.U32(0xffffffff))
	}
	for range 16 {
		ctx.AppendDatum(operand.U32(0))
	}
	return table
}

// columnMasks makes masks of the columns that exist, one a vector.
func (t *tile) columnMasks() []reg.Register {
	cols := t.load("cols")
	masks := make([]reg.Register, t.vectors)
	if t.lanes == 16 {
		ones := t.GP64()
		t.MOVQ(operand.I32(-1), ones)
		t.BZHIQ(cols, ones, ones)
		for v := range masks {
			masks[v] = t.K()
			t.KMOVW(ones.As32(), masks[v])
			t.SHRQ(operand.U8(16), ones)
		}
		return masks
	}
	at := t.GP64()
	t.LEAQ(t.masks, at)
	t.SHLQ(operand.U8(2), cols)
	t.SUBQ(cols, at)
	for v := range masks {
		masks[v] = t.YMM()
		t.VMOVUPS(operand.Mem{Base: at, Disp: (16 + v*t.lanes) * 4}, masks[v])
	}
	return masks
}

// read loads vector v of a row, zeros where no column is; without a mask it
// is a whole one.
func (t *tile) read(row reg.GPVirtual, v int, mask reg.Register, to reg.VecVirtual) {
	from := operand.Mem{Base: row, Disp: v * t.lanes * 4}
	switch {
	case mask == nil:
		t.VMOVUPS(from, to)
	case t.lanes == 16:
		t.VMOVUPS_Z(from, mask, to)
	default:
		t.VMASKMOVPS(from, mask, to)
	}
}

// write stores vector v of a row in the same way.
func (t *tile) write(from reg.VecVirtual, v int, mask reg.Register, row reg.GPVirtual) {
	to := operand.Mem{Base: row, Disp: v * t.lanes * 4}
	switch {
	case mask == nil:
		t.VMOVUPS(from, to)
	case t.lanes == 16:
		t.VMOVUPS(from, mask, to)
	default:
		t.VMASKMOVPS(from, mask, to)
	}
}

// start sets the accumulators to C, or to zero.
func (t *tile) start(rows int) {
	begin := operand.LabelRef(t.label("begin", rows))
	for _, row := range t.acc {
		for _, acc := range row {
			t.VXORPS(acc, acc, acc)
		}
	}
	t.skipUnless("accumulate", begin)
	masks := t.columnMasks()
	c, step := t.load("c"), t.load("cRow")
	for _, row := range t.acc {
		for v, acc := range row {
			t.read(c, v, masks[v], acc)
		}
		t.ADDQ(step, c)
	}
	t.Label(string(begin))
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
	// Masked stores are slow without AVX-512, so whole tiles go unmasked.
	partial := operand.LabelRef(t.label("partial", rows))
	cols := t.load("cols")
	t.CMPQ(cols, operand.Imm(uint64(t.vectors*t.lanes)))
	t.JNE(partial)
	t.store(make([]reg.Register, t.vectors))
	t.leave()
	t.Label(string(partial))
	t.store(masks)
}

func (t *tile) addBias(rows int, masks []reg.Register) {
	none := operand.LabelRef(t.label("noBias", rows))
	bias := t.load("bias")
	t.TESTQ(bias, bias)
	t.JE(none)
	for v := range t.vectors {
		b := t.vector()
		t.read(bias, v, masks[v], b)
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
	zero := t.vector()
	t.VXORPS(zero, zero, zero)
	for _, row := range t.acc {
		for _, acc := range row {
			t.VMAXPS(acc, zero, acc)
		}
	}
	t.Label(string(none))
}

func (t *tile) store(masks []reg.Register) {
	c, step := t.load("c"), t.load("cRow")
	for _, row := range t.acc {
		for v, acc := range row {
			t.write(acc, v, masks[v], c)
		}
		t.ADDQ(step, c)
	}
}

func (t *tile) leave() {
	t.VZEROUPPER()
	t.RET()
}
