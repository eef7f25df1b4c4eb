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
		"gemm": gemmKernels, "histogram": sliceKernels(histogram), "jacobian": jacobianKernels, "rank": rankKernels,
		"math": sliceKernels(elementwise, transcendental, losses, reductions, blocks, recurrent, attention, mixing, timeEncoding, optimisers),
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

// kernel is one function on slices, for each register width.
type kernel struct {
	name, signature string
	body            func(m *machine)
}

// sliceKernels writes all kernels of the groups, and the constants that they
// share.
func sliceKernels(groups ...[]kernel) func(ctx *build.Context) {
	return func(ctx *build.Context) {
		constants := newPool()
		for _, kernels := range groups {
			for _, k := range kernels {
				for _, lanes := range []int{8, 16} {
					m := &machine{registers: registers{ctx, lanes}, constants: constants}
					m.function(k.name+map[int]string{8: "AVX2", 16: "AVX512"}[lanes], k.signature)
					k.body(m)
					m.leave()
				}
			}
		}
		constants.write(ctx)
	}
}
