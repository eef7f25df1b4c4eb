// Package cli is the command bench: it measures models on event streams,
// stores one record a trial, and prints the paper's tables from the records.
// A program of another module that imports models of its own and calls Main is
// bench with these models.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	_ "dgsbench/datasets/sim"
	"dgsbench/harness"
	"dgsbench/internal/escape"
	"dgsbench/internal/lock"
	"dgsbench/internal/ram"
	"dgsbench/kernels"
	_ "dgsbench/models/standard"
)

// Exit codes.
const (
	exitDone        = 0
	exitFailed      = 1 // something measured or the device failed, or could not be written
	exitUsage       = 2 // wrong use or bad input
	exitInterrupted = 130
)

// Main runs the command with the arguments of the process, and exits.
func Main() {
	ram.Usable() // sets the garbage collector's limit
	os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}

// failure is an error of exit code 1; every other error is one of use or
// input.
type failure struct{ error }

func (f failure) Unwrap() error { return f.error }

// message is what an error says. One of an interruption ends in its cause, a
// signal or the words of package context, which whoever stopped it knows.
func message(err error) string {
	if !harness.Interrupted(err) {
		return err.Error()
	}
	cause := err
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(next) {
		cause = next
	}
	text := strings.TrimSuffix(err.Error(), cause.Error())
	return cmp.Or(strings.TrimSuffix(text, ": "), "interrupted")
}

// run is the whole program but the process: tests call it.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	printed := &output{Writer: stdout}
	stdout, stderr = escape.NewWriter(printed), escape.NewMessageWriter(stderr)
	cmd := newRoot(stdout, stderr)
	cmd.SetArgs(args)
	err := cmd.ExecuteContext(ctx)
	if printed.err != nil && !harness.Interrupted(err) {
		err = failure{fmt.Errorf("standard output: %w", printed.err)}
	}
	if err == nil {
		return exitDone
	}
	fmt.Fprintln(stderr, "bench:", message(err))
	var failed failure
	var store *harness.StoreError
	var device *kernels.Failure
	switch {
	case harness.Interrupted(err):
		return exitInterrupted
	case errors.As(err, &failed), errors.Is(err, lock.ErrLost), errors.As(err, &store), errors.As(err, &device):
		return exitFailed
	}
	return exitUsage
}
