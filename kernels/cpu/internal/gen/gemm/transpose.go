package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// transposeFunc writes the transposition of eight rows, eight elements of
// each at a time, that packs a transposed operand.
func transposeFunc(ctx *build.Context) {
	ctx.Function("transpose8")
	ctx.Attributes(attr.NOSPLIT)
	ctx.Pragma("noescape")
	ctx.Doc(
		"transpose8 writes the first 8*blocks elements of the 8 rows as columns: as 8*blocks",
		"rows of 8, dstRow bytes apart. It needs AVX.",
	)
	ctx.SignatureExpr("func(dst *float32, dstRow uintptr, rows *[8]*float32, blocks int)")
	argument := func(name string) reg.GPVirtual {
		r := ctx.GP64()
		ctx.Load(ctx.Param(name), r)
		return r
	}
	dst, step, blocks := argument("dst"), argument("dstRow"), argument("blocks")
	table, at := argument("rows"), ctx.GP64()
	var source [8]reg.GPVirtual
	for i := range source {
		source[i] = ctx.GP64()
		ctx.MOVQ(operand.Mem{Base: table, Disp: 8 * i}, source[i])
	}
	ctx.XORQ(at, at)

	ctx.Label("block")
	for half := range 2 {
		var rows [4]reg.VecVirtual // each with row i below and row i+4 above
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
	ctx.VZEROUPPER()
	ctx.RET()
}

// columns transposes the 4 x 4 blocks in the two halves of four registers.
func columns(ctx *build.Context, rows [4]reg.VecVirtual) [4]reg.VecVirtual {
	var pairs, out [4]reg.VecVirtual
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
