package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"

	"dgsbench/kernels/cpu/internal/gen/file"
)

func main() { file.Write(generate()) }

// A kernel is one function of the package, for each register width.
type kernel struct {
	name      string
	signature string
	body      func(m *machine)
}

func kernels() []kernel {
	var all []kernel
	for _, group := range [][]kernel{
		elementwise, transcendental, losses, reductions, blocks, recurrent, attention, mixing, timeEncoding, optimisers,
	} {
		all = append(all, group...)
	}
	return all
}

func generate() (map[string][]byte, error) {
	ctx := build.NewContext()
	ctx.ConstraintExpr("amd64,!purego")
	constants := newPool()
	for _, k := range kernels() {
		for _, width := range widths {
			k.write(&machine{Context: ctx, lanes: width, constants: constants})
		}
	}
	constants.write(ctx)
	return file.Render("math", ctx)
}

// write adds the kernel to the file.
func (k kernel) write(m *machine) {
	m.Function(k.name + suffix(m.lanes))
	m.Attributes(attr.NOSPLIT)
	m.Pragma("noescape")
	m.SignatureExpr(k.signature)
	k.body(m)
	m.VZEROUPPER()
	m.RET()
}
