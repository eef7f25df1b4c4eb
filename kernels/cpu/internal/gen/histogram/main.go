// Command histogram writes the assembly of the kernels for histograms into
// the current folder.
//
// Every element gets the same operations in the same order at both widths,
// so both give the same bits.
package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"

	"dgsbench/kernels/cpu/internal/gen/file"
)

func main() { file.Write(generate()) }

// A kernel is one function of the package, for each register width.
type kernel struct {
	name, signature, doc string
	body                 func(m *machine)
}

var kernels = []kernel{
	{
		"foldRow", "func(dst, self, other []float32, keep, mix float32)",
		"is dst = keep*self + mix*other.", (*machine).foldRow,
	},
	{
		"foldAdd", "func(dst, self, other, row []float32, keep, mix, hit float32)",
		"is dst = keep*self + mix*other + hit*row.", (*machine).foldAdd,
	},
	{
		"sumRows", "func(dst *float32, table []float32, index []int32, rows, stride, width int) (inside bool)",
		"sums the rows that the index names: width numbers of each, at most eight registers. It stops at an index outside.",
		(*machine).sumRows,
	},
	{
		"bucketize", "func(dst []int32, x, edges []float32, first []int32, edgeRows int)",
		"is dst = first + the number of edges at or below x, for one row.", (*machine).bucketize,
	},
}

func generate() (map[string][]byte, error) {
	ctx := build.NewContext()
	ctx.ConstraintExpr("amd64,!purego")
	masks := maskTable(ctx)
	for _, k := range kernels {
		for _, lanes := range []int{8, 16} {
			k.write(&machine{Context: ctx, lanes: lanes, masks: masks})
		}
	}
	return file.Render("histogram", ctx)
}

// write adds the kernel to the file.
func (k kernel) write(m *machine) {
	name := k.name + map[int]string{8: "AVX2", 16: "AVX512"}[m.lanes]
	m.Function(name)
	m.Attributes(attr.NOSPLIT)
	m.Pragma("noescape")
	m.Doc(name + " " + k.doc)
	m.SignatureExpr(k.signature)
	k.body(m)
}
