package harness

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"dgsbench/kernels"
	"dgsbench/models"
)

// Guard returns a panic of f, a mistake in a model, as an error with its place, and a
// models.Fault as its error: it fails one trial and not the run. That of a device, a *kernels.Failure, goes on.
// Panics of goroutines that f starts cannot be caught: they end the program.
func Guard(f func() error) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *kernels.Failure:
			panic(p)
		case models.Fault:
			err = p.Err
		default:
			err = fmt.Errorf("panic in %s: %v", origin(), p)
		}
	}()
	return f()
}

// origin returns the function, file and line that panicked. It must be called
// while the panic unwinds the stack.
func origin() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	panicked := false
	for {
		f, more := frames.Next()
		inside := strings.HasPrefix(f.Function, "runtime.")
		if panicked && !inside {
			name := f.Function[strings.LastIndex(f.Function, "/")+1:]
			return fmt.Sprintf("%s (%s:%d)", name, filepath.Base(f.File), f.Line)
		}
		panicked = panicked || f.Function == "runtime.gopanic"
		if !more {
			return "an unknown place"
		}
	}
}
