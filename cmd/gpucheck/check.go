//go:build gpu

package main

import (
	"embed"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"dgsbench/internal/atomicfile"
)

//go:embed suites
var suites embed.FS

// check is a check in progress.
type check struct {
	program string // this one
	home    string // where it and the other binaries are
	work    string // for records and suites
	remove  func() // the folder work
	out     string // for the results
	began   time.Time
	awake   []*os.File // the cards', which stay open
	report  Report

	hasTorch bool // python3 was found to have one
}

// newCheck makes its folders, and tries whether results can be written.
func newCheck(out string, tiny bool) (*check, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return nil, err
	}
	if err := atomicfile.Root(out).Probe(); err != nil {
		return nil, err
	}
	work, remove, err := atomicfile.Scratch()
	if err != nil {
		return nil, err
	}
	c := &check{remove: remove, program: program, home: filepath.Dir(program), work: work, out: out, began: time.Now()}
	c.report.Date, c.report.Tiny = c.began.UTC().Format(time.DateOnly), tiny
	return c, errors.Join(c.keepCompiled(), c.unpackSuites())
}

// keepCompiled has what is compiled kept, for all programs of the check: by
// the driver, by PyTorch and by its compiler. Nobody needs a home folder that
// can be written to.
func (c *check) keepCompiled() error {
	if err := os.Setenv("CUDA_CACHE_DISABLE", "0"); err != nil {
		return err
	}
	for _, name := range []string{"CUDA_CACHE_PATH", "TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR"} {
		dir := filepath.Join(c.work, strings.ToLower(name))
		if err := errors.Join(os.Mkdir(dir, 0o755), os.Setenv(name, dir)); err != nil {
			return err
		}
	}
	return nil
}

// unpackSuites writes the suites, which bench reads.
func (c *check) unpackSuites() error {
	size := "full"
	if c.report.Tiny {
		size = "tiny"
	}
	files, err := fs.Sub(suites, "suites/"+size)
	if err != nil {
		return err
	}
	return os.CopyFS(c.work, files)
}

// save writes the results that there are so far.
func (c *check) save() error {
	var err error
	if c.report.Goals, err = reach(c.report.Times); err != nil {
		return err
	}
	data, err := c.report.json()
	if err != nil {
		return err
	}
	if err := atomicfile.Root(c.out).Write(c.name()+".json", data); err != nil {
		return err
	}
	return atomicfile.Root(c.out).Write(c.name()+".md", c.report.markdown())
}

// name is the path of the results without what they end in.
func (c *check) name() string {
	return filepath.Join(c.out, fileName(c.report.Facts.Card)+"-"+c.report.Date)
}

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// fileName is the card's name without its driver's, as a part of a file's.
func fileName(card string) string {
	name, _, _ := strings.Cut(card, ",")
	return strings.Trim(notInNames.ReplaceAllString(strings.ToLower(name), "-"), "-")
}
