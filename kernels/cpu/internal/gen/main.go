// Command gen writes the assembly of package cpu into the current folder:
// zz_NAME_amd64.s, and its Go declarations zz_NAME_amd64.go.
//
// The kernels on slices are written once, in terms of a machine that has
// registers of 8 lanes (AVX2) or 16 lanes (AVX-512). Both get the same
// operations on each element in the same order, so both give the same bits.
package main

import (
	"fmt"
	"os"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

func main() {
	files, err := generate()
	for name, text := range files {
		if err == nil {
			err = os.WriteFile(name, text, 0o644)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// generate gives the contents of all files by their names.
func generate() (map[string][]byte, error) {
	files := map[string][]byte{}
	for name, write := range map[string]func(ctx *build.Context){
		"gemm": gemmKernels, "histogram": sliceKernels(histogramKernels), "jacobian": jacobianKernels, "math": sliceKernels(mathKernels), "rank": rankKernels,
		"rows": rowKernels,
	} {
		ctx := build.NewContext()
		ctx.ConstraintExpr("amd64,!purego")
		write(ctx)
		built, err := ctx.Result()
		if err == nil {
			err = pass.Compile.Execute(built)
		}
		if err != nil {
			return nil, err
		}
		cfg := printer.Config{Name: "kernels/cpu/internal/gen", Pkg: "cpu"}
		if files["zz_"+name+"_amd64.s"], err = printer.NewGoAsm(cfg).Print(built); err != nil {
			return nil, err
		}
		if files["zz_"+name+"_amd64.go"], err = printer.NewStubs(cfg).Print(built); err != nil {
			return nil, err
		}
	}
	return files, nil
}
