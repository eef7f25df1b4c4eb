// Command gemm writes the assembly of the matrix product's microkernels into
// the current folder.
package main

import (
	"github.com/mmcloughlin/avo/build"

	"dgsbench/kernels/cpu/internal/gen/file"
)

func main() { file.Write(generate()) }

func generate() (map[string][]byte, error) {
	ctx := build.NewContext()
	ctx.ConstraintExpr("amd64,!purego")
	tileFunc(ctx, "gemmAVX512Wide", shape{lanes: 16, vectors: 2, rows: 14})
	tileFunc(ctx, "gemmAVX512Narrow", shape{lanes: 16, vectors: 1, rows: 14})
	rowFunc(ctx, "gemmRowAVX512", shape{lanes: 16, vectors: 8})
	masks := maskTable(ctx)
	tileFunc(ctx, "gemmAVX2Wide", shape{lanes: 8, vectors: 2, rows: 6, masks: masks})
	tileFunc(ctx, "gemmAVX2Narrow", shape{lanes: 8, vectors: 1, rows: 6, masks: masks})
	rowFunc(ctx, "gemmRowAVX2", shape{lanes: 8, vectors: 8, masks: masks})
	transposeFunc(ctx)
	return file.Render("gemm", ctx)
}
