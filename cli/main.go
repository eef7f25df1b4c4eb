// Package cli is the command bench: it measures models on event streams,
// stores one record a trial, and prints the paper's tables from the records.
// A program of another module that imports models of its own and calls Main is
// bench with these models.
package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"strings"

	_ "dgsbench/datasets/sim"
	"dgsbench/harness"
	"dgsbench/harness/cluster"
	"dgsbench/internal/escape"
	"dgsbench/internal/lock"
	"dgsbench/internal/ram"
	"dgsbench/kernels"
	_ "dgsbench/models/external"
	_ "dgsbench/models/standard"

	"golang.org/x/term"
)

// Exit codes.
const (
	exitDone        = 0
	exitFailed      = 1 // something measured or the device failed, or could not be written
	exitUsage       = 2 // wrong use or bad input
	exitInterrupted = 130
	exitAgain       = cluster.ExitAgain // a task of an engine has work left
)

// Main runs the command with the arguments of the process, and exits. The YAML
// files in specs, at any depth, are models and suites that are added to the
// built-in ones, or replace those of the same name.
func Main(specs ...fs.FS) {
	ram.Usable() // sets the garbage collector's limit
	os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr, specs...))
}

// failure is an error of exit code 1; others are of use or input.
type failure struct{ error }

func (f failure) Unwrap() error { return f.error }

// message returns the text of an error. One of an interruption ends in its
// cause, a signal or the words of package context, which is left out.
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
func run(ctx context.Context, args []string, stdout, stderr io.Writer, specs ...fs.FS) int {
	printed := &output{Writer: stdout}
	stdout, stderr = escape.NewWriter(printed), escape.NewMessageWriter(stderr)
	cmd := newRoot(stdout, stderr, specs...)
	cmd.SetArgs(args)
	defer slog.SetDefault(slog.Default()) // --verbose replaces it
	err := cmd.ExecuteContext(context.WithValue(ctx, argumentsKey{}, args))
	if printed.err != nil && !harness.Interrupted(err) {
		err = failure{fmt.Errorf("standard output: %w", printed.err)}
	}
	if err == nil {
		return exitDone
	}
	fmt.Fprintln(stderr, "bench:", message(err))
	switch {
	case errors.As(err, new(again)):
		return exitAgain
	case harness.Interrupted(err):
		return exitInterrupted
	case errors.As(err, new(failure)), errors.Is(err, lock.ErrLost),
		errors.As(err, new(*harness.StoreError)), errors.As(err, new(*kernels.Failure)):
		return exitFailed
	}
	return exitUsage
}

// output keeps the first error of writing, so that printing needs no checks.
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
	out = unwrapWriter(out)
	if o, ok := out.(*output); ok {
		out = o.Writer
	}
	f, ok := out.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// unwrapWriter returns the writer below an escaping one, for bold text and cursors.
func unwrapWriter(out io.Writer) io.Writer {
	if escaped, ok := out.(*escape.Writer); ok {
		return escaped.Under
	}
	return out
}

// printValue prints a value as text, or as JSON if asked for.
func (o *options) printValue(value any, text func(io.Writer) error) error {
	if o.asJSON {
		return writeJSON(o.stdout, value)
	}
	return text(o.stdout)
}

func writeJSON(w io.Writer, value any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(value)
}
