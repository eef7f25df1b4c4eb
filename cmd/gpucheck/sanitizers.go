//go:build gpu

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
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

// A sanitizer's lines begin with a mark. Some say what it found, others that it
// could not do its work, or that it is not all there.
var (
	missing   = regexp.MustCompile(`(?m)^========= (Unable to find .*)$`)
	finding   = regexp.MustCompile(`(?m)^========= ((?:Invalid|Error:|Misaligned|Warning: Race|Leaked) .*)$`)
	hindrance = regexp.MustCompile(`(?m)^========= ((?:Error: (?:[Pp]rocess|Target) |Internal Sanitizer Error).*)$`)
)

// judged says what the output of a sanitizer means.
func judged(out []byte, err error, stopped bool) error {
	trouble := string(hindrance.Find(out))
	first := ""
	if match := finding.FindSubmatch(hindrance.ReplaceAll(out, nil)); match != nil {
		first = string(bytes.TrimSpace(match[1]))
	}
	var exit *exec.ExitError
	switch {
	case first != "" || trouble == "" && errors.As(err, &exit) && exit.ExitCode() == findings:
		return fmt.Errorf("mistakes were found: %s", first)
	case stopped:
		return fmt.Errorf("%w: nothing found so far, but it did not come to the end", errSkipped)
	case trouble != "":
		return errors.Join(err, errors.New(trouble))
	case missing.Match(out):
		return fmt.Errorf("%w: compute-sanitizer: %s", errSkipped, missing.FindSubmatch(out)[1])
	}
	return err
}
