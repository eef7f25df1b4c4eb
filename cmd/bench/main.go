// Command bench runs the benchmark: it measures models on event streams,
// keeps one record a trial, and prints the paper's tables from the records.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	_ "dgsbench/datasets/sim"
	"dgsbench/harness"
	_ "dgsbench/models/standard"
)

// Exit codes.
const (
	exitDone        = 0
	exitFailed      = 1 // something measured failed, or could not be written
	exitUsage       = 2 // wrong use or bad input
	exitInterrupted = 130
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}

// failure is an error of exit code 1; every other error is one of use or
// input.
type failure struct{ error }

func (f failure) Unwrap() error { return f.error }

// run is the whole program but the process: tests call it.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	cmd := newRoot(stdout, stderr)
	cmd.SetArgs(args)
	err := cmd.ExecuteContext(ctx)
	if err == nil {
		return exitDone
	}
	fmt.Fprintln(stderr, "bench:", err)
	var failed failure
	var store *harness.StoreError
	switch {
	case harness.Interrupted(err):
		return exitInterrupted
	case errors.As(err, &failed), errors.As(err, &store):
		return exitFailed
	}
	return exitUsage
}
