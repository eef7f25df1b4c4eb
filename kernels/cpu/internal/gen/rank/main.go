// Command rank writes the assembly of the add-ReLU-dot ranking into the
// current folder.
package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"

	"dgsbench/kernels/cpu/internal/gen/file"
)

func main() { file.Write(generate()) }

func generate() (map[string][]byte, error) {
	ctx := build.NewContext()
	ctx.ConstraintExpr("amd64,!purego")
	for vectors := 1; vectors <= 4; vectors++ {
		countFunc(ctx, fmt.Sprintf("rankCountAVX512x%d", vectors), 16, vectors)
	}
	countFunc(ctx, "rankCountAVX2", 8, 2)
	scoresFunc(ctx, "rankScoresAVX512", 16, 1)
	scoresFunc(ctx, "rankScoresAVX2", 8, 2)
	return file.Render("rank", ctx)
}
