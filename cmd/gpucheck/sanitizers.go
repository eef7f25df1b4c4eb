//go:build gpu

package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// findings is compute-sanitizer's exit code where it found something.
const findings = 86

// shutDown is how much earlier than the step the sanitizer is stopped.
const shutDown = 5 * time.Second

// sanitizer watches the conformance test of the kernels with a tool of
// NVIDIA's compute-sanitizer, which slows them down much: what it has found
// when its time is over counts, and that it has found nothing does not.
func (c *check) sanitizer(tool string) func(context.Context) error {
	return func(ctx context.Context) error {
		if err := find("compute-sanitizer"); err != nil {
			return err
		}
		if end, limited := ctx.Deadline(); limited {
			var stop context.CancelFunc
			ctx, stop = context.WithDeadline(ctx, end.Add(-shutDown))
			defer stop()
		}
		dir := filepath.Join(c.home, "kernels", "cuda")
		out, err := output(ctx, dir, "compute-sanitizer", "--tool", tool, "--report-api-errors", "no",
			"--error-exitcode", fmt.Sprint(findings), filepath.Join(dir, "tests"), "-test.run", "^TestConformance$")
		return judged(out, err, ctx.Err() != nil)
	}
}

// judged says what the output of a sanitizer means.
func judged(out []byte, err error, stopped bool) error {
	first := ""
	for line := range strings.Lines(string(out)) {
		text, ours := strings.CutPrefix(line, "========= ")
		for _, word := range []string{"Invalid ", "Error: ", "Misaligned ", "Warning: Race", "Leaked "} {
			if ours && first == "" && strings.HasPrefix(text, word) {
				first = strings.TrimSpace(text)
			}
		}
	}
	var exit *exec.ExitError
	switch {
	case first != "" || errors.As(err, &exit) && exit.ExitCode() == findings:
		return fmt.Errorf("mistakes were found: %s", first)
	case stopped:
		return fmt.Errorf("%w: nothing found so far, but it did not come to the end", errSkipped)
	}
	return err
}
