package strictyaml

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Error is one mistake in a document.
type Error struct {
	File string
	Line int // from 1
	Text string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Text)
}

// Errors collects errors, to report all of them at once. The zero value is ready
// to use.
type Errors struct {
	list []error
	more bool // there are others, which are not in the list
}

// maxErrors is the largest number of errors that are reported.
const maxErrors = 100

// Add adds an error, or the errors of a collection. It ignores nil.
func (e *Errors) Add(err error) {
	var many *Errors
	switch {
	case err == nil:
	case errors.As(err, &many):
		e.list, e.more = append(e.list, many.list...), e.more || many.more
	default:
		e.list = append(e.list, err)
	}
	if len(e.list) > maxErrors {
		e.list, e.more = e.list[:maxErrors], true
	}
}

// Full reports whether further errors are left out, and need not be found.
func (e *Errors) Full() bool { return len(e.list) == maxErrors }

// Any reports whether an error was added.
func (e *Errors) Any() bool { return len(e.list) > 0 }

// Err returns nil if nothing was added, or else the errors, one per line: sorted
// by file and line, each once, those without a location at the end.
func (e *Errors) Err() error {
	if len(e.list) == 0 {
		return nil
	}
	slices.SortStableFunc(e.list, func(a, b error) int {
		x, y := position(a), position(b)
		return cmp.Or(cmp.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line))
	})
	e.list = slices.CompactFunc(e.list, func(a, b error) bool { return a.Error() == b.Error() })
	return e
}

// position returns the file and line of an error, or a file name that sorts
// after all others.
func position(err error) *Error {
	e := &Error{File: "\U0010ffff"}
	errors.As(err, &e)
	return e
}

// Unwrap returns the errors one by one.
func (e *Errors) Unwrap() []error { return e.list }

func (e *Errors) Error() string {
	lines := make([]string, len(e.list))
	for i, err := range e.list {
		lines[i] = err.Error()
	}
	if e.more {
		lines = append(lines, "and more")
	}
	return strings.Join(lines, "\n")
}
