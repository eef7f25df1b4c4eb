//go:build gpu

package cuda

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed *.ptx
var modules embed.FS

// Sources are the kernels before they were compiled. Package cudatest
// compiles them for the processor.
//
//go:embed *.cu *.h
var Sources embed.FS

// entry is a kernel of a module.
type entry struct {
	name       string
	parameters int
}

// entries are the kernels of a module.
func entries(ptx string) []entry {
	var all []entry
	const start = ".visible .entry "
	for _, text := range strings.Split(ptx, start)[1:] {
		name, rest, _ := strings.Cut(text, "(")
		list, _, closed := strings.Cut(rest, ")")
		if !closed {
			panic(fmt.Sprintf("cuda: the parameters of kernel %s have no end", name))
		}
		all = append(all, entry{name, strings.Count(list, ".param ")})
	}
	return all
}
