// Package file turns what a generator has built into the two files that
// package cpu commits.
package file

import (
	"fmt"
	"os"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

// Render gives the contents of zz_NAME_amd64.s and of the Go declarations
// zz_NAME_amd64.go, by file name.
func Render(name string, ctx *build.Context) (map[string][]byte, error) {
	built, err := ctx.Result()
	if err != nil {
		return nil, err
	}
	if err := pass.Compile.Execute(built); err != nil {
		return nil, err
	}
	cfg := printer.Config{Name: "kernels/cpu/internal/gen/" + name, Pkg: "cpu"}
	assembly, err := printer.NewGoAsm(cfg).Print(built)
	if err != nil {
		return nil, err
	}
	declarations, err := printer.NewStubs(cfg).Print(built)
	if err != nil {
		return nil, err
	}
	return map[string][]byte{
		"zz_" + name + "_amd64.s":  assembly,
		"zz_" + name + "_amd64.go": declarations,
	}, nil
}

// Write writes the files into the current folder and ends the program if it
// cannot.
func Write(files map[string][]byte, err error) {
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
