package cli

import (
	"io"
	"os"

	"dgsbench/internal/escape"

	"golang.org/x/term"
)

// output is standard output. It keeps the first error of writing to it, so
// that nobody who prints has to look for one.
type output struct {
	io.Writer
	err error
}

func (o *output) Write(p []byte) (n int, err error) {
	if o.err == nil {
		n, o.err = o.Writer.Write(p)
	}
	return n, o.err
}

// isTerminal reports whether out is a terminal, or writes to one.
func isTerminal(out io.Writer) bool {
	out = under(out)
	if o, ok := out.(*output); ok {
		out = o.Writer
	}
	f, ok := out.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// under is what out writes to, for what moves the cursor or marks text itself.
func under(out io.Writer) io.Writer {
	if escaped, ok := out.(*escape.Writer); ok {
		return escaped.Under
	}
	return out
}
