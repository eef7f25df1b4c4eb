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
	for _, moving := range []bool{false, true} {
		kind := ""
		if moving {
			kind = "Moving"
		}
		for vectors := 1; vectors <= 4; vectors++ {
			countFunc(ctx, fmt.Sprintf("rankCount%sAVX512x%d", kind, vectors), shape{16, vectors, moving})
		}
		countFunc(ctx, "rankCount"+kind+"AVX2", shape{8, 2, moving})
		scoresFunc(ctx, "rankScores"+kind+"AVX512", shape{16, 1, moving})
		scoresFunc(ctx, "rankScores"+kind+"AVX2", shape{8, 2, moving})
	}
	return file.Render("rank", ctx)
}
