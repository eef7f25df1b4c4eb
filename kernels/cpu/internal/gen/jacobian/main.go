package main

import (
	"github.com/mmcloughlin/avo/build"

	"dgsbench/kernels/cpu/internal/gen/file"
)

func main() { file.Write(generate()) }

// groups are the kinds of groups of lanes.
var groups = []group{{"16AVX512", 16, 16}, {"16AVX2", 16, 8}, {"8", 8, 8}, {"4", 4, 4}}

func generate() (map[string][]byte, error) {
	ctx := build.NewContext()
	ctx.ConstraintExpr("amd64,!purego")
	for _, half := range []bool{false, true} {
		for _, g := range groups {
			m := &machine{Context: ctx, group: g, half: half}
			m.readFunc()
			m.writeFunc()
		}
	}
	return file.Render("jacobian", ctx)
}
