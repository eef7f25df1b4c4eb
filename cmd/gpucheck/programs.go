//go:build gpu

package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"dgsbench/harness"
	"dgsbench/internal/atomicfile"
	"dgsbench/kernels/cuda/driver"
)

// grace is how long a program may take to end when its time is over.
const grace = 5 * time.Second

// output runs a program and returns what it prints. Its error holds the last
// line of standard error. When the time is over, what the program has started
// ends with it: it is not waited for if a driver does not let go of it.
func output(ctx context.Context, dir, program string, arguments ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, program, arguments...)
	command.Dir = dir
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	command.WaitDelay = time.Second
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	ended := make(chan error, 1)
	go func() { ended <- command.Run() }()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
		select {
		case err = <-ended:
		case <-time.After(grace):
			return nil, fmt.Errorf("%s was killed and does not end", filepath.Base(program))
		}
	}
	if err != nil && stderr.Len() > 0 {
		lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
		err = fmt.Errorf("%w: %s", err, lines[len(lines)-1])
	}
	return stdout.Bytes(), err
}

// tests runs the tests of a package that match the pattern, in its folder.
func (c *check) tests(pkg, pattern string) func(context.Context) error {
	return func(ctx context.Context) error {
		dir := filepath.Join(c.home, filepath.FromSlash(pkg))
		out, err := output(ctx, dir, filepath.Join(dir, "tests"), "-test.v", "-test.run", pattern)
		if err != nil {
			return fmt.Errorf("%w: %s", err, cmp.Or(string(bytes.TrimSpace(failure.Find(out))), "see the test's output"))
		}
		if i := bytes.Index(out, []byte(driver.ErrNoGPU.Error())); i >= 0 {
			line, _, _ := bytes.Cut(out[i:], []byte("\n"))
			return fmt.Errorf("tests were skipped: %s", line)
		}
		if !bytes.Contains(out, []byte("--- PASS")) {
			return errors.New("no test was run")
		}
		return nil
	}
}

// failure matches the lines of a test's output that name a failure.
var failure = regexp.MustCompile(`(?m)^.*_test\.go:.*$|^[ \t]*(panic:|--- FAIL).*$`)

// bench runs the benchmark and returns what it prints.
func (c *check) bench(ctx context.Context, arguments ...string) ([]byte, error) {
	arguments = append(arguments, "--data", filepath.Join(c.home, "data"), "--out", c.records())
	return output(ctx, c.work, filepath.Join(c.home, "bench"), arguments...)
}

func (c *check) records() string { return filepath.Join(c.work, "records") }

// times runs a program that prints its times, and keeps those of one that fails, too.
func (c *check) times(ctx context.Context, dir, program string, arguments ...string) error {
	if c.results.Tiny {
		arguments = append(arguments, "-tiny")
	}
	out, err := output(ctx, dir, program, arguments...)
	for line := range bytes.Lines(out) {
		var t Time
		if json.Unmarshal(line, &t) == nil {
			c.results.addTime(t)
		}
	}
	return err
}

// own runs this program again to measure one thing.
func (c *check) own(what string) func(context.Context) error {
	return func(ctx context.Context) error { return c.times(ctx, c.work, c.program, "-measure", what) }
}

// torch runs a script of PyTorch's on the stream that our programs run on.
func (c *check) torch(script string) func(context.Context) error {
	return func(ctx context.Context) error {
		if err := c.findTorch(ctx); err != nil {
			return fmt.Errorf("%w: %w", errSkipped, err)
		}
		stream := filepath.Join(c.work, "stream.csv")
		if err := writeStream(stream, c.pick("wikipedia-sim", "shop-sim@0.17")); err != nil {
			return err
		}
		return c.times(ctx, c.home, "python3", script, stream)
	}
}

// findTorch fails unless python3 has a PyTorch that finds the card. To import it
// takes seconds, so it is looked for until it is found.
func (c *check) findTorch(ctx context.Context) error {
	if c.hasTorch {
		return nil
	}
	const load, find = "import torch", "; assert torch.cuda.is_available(), 'torch finds no card'"
	_, err := output(ctx, "", "python3", "-c", c.pick(load+find, load))
	c.hasTorch = err == nil
	return err
}

// writeStream writes nodes and times of a simulated stream's events.
func writeStream(path, name string) error {
	loaded, err := harness.LoadDataset(name, "")
	if err != nil {
		return err
	}
	s := loaded.Stream
	if s.Len() == 0 {
		return errors.New(name + " has no events")
	}
	var b bytes.Buffer
	b.WriteString("src,dst,t\n")
	for i := range s.Src {
		fmt.Fprintf(&b, "%d,%d,%.0f\n", s.Src[i], s.Dst[i], s.Time[i])
	}
	return atomicfile.Write(path, b.Bytes())
}

const (
	foundErrors = 86              // compute-sanitizer's exit code where it found something
	shutDown    = 5 * time.Second // a sanitizer is stopped so long before its step
)

// sanitizer runs the conformance test of the kernels under a tool of NVIDIA's
// compute-sanitizer, which slows them down much: what it has found when its time
// is over counts, and that it has found nothing does not.
func (c *check) sanitizer(tool string) func(context.Context) error {
	return func(ctx context.Context) error {
		if _, err := exec.LookPath("compute-sanitizer"); err != nil {
			return fmt.Errorf("%w: there is no compute-sanitizer", errSkipped)
		}
		end, _ := ctx.Deadline() // every step has one
		ctx, stop := context.WithDeadline(ctx, end.Add(-shutDown))
		defer stop()
		dir := filepath.Join(c.home, "kernels", "cuda")
		out, err := output(ctx, dir, "compute-sanitizer", "--tool", tool, "--report-api-errors", "no",
			"--error-exitcode", fmt.Sprint(foundErrors), filepath.Join(dir, "tests"), "-test.run", "^TestConformance$")
		return sanitizerError(out, err, ctx.Err() != nil)
	}
}

// A sanitizer's lines begin with a mark. Some say what it found, others that it
// could not do its work, or that parts of it are missing.
var (
	missingPart = regexp.MustCompile(`(?m)^========= (Unable to find .*)$`)
	finding     = regexp.MustCompile(`(?m)^========= ((?:Invalid|Error:|Misaligned|Warning: Race|Leaked) .*)$`)
	trouble     = regexp.MustCompile(`(?m)^========= ((?:Error: (?:[Pp]rocess|Target) |Internal Sanitizer Error).*)$`)
)

// sanitizerError is what the output of a sanitizer means for its step.
func sanitizerError(out []byte, err error, stopped bool) error {
	cause, first := string(trouble.Find(out)), ""
	if match := finding.FindSubmatch(trouble.ReplaceAll(out, nil)); match != nil {
		first = string(bytes.TrimSpace(match[1]))
	}
	var exit *exec.ExitError
	switch {
	case first != "" || cause == "" && errors.As(err, &exit) && exit.ExitCode() == foundErrors:
		return fmt.Errorf("mistakes were found: %s", first)
	case stopped:
		return fmt.Errorf("%w: nothing found so far, but it did not come to the end", errSkipped)
	case cause != "":
		return errors.Join(err, errors.New(cause))
	case missingPart.Match(out):
		return fmt.Errorf("%w: compute-sanitizer: %s", errSkipped, missingPart.FindSubmatch(out)[1])
	}
	return err
}
