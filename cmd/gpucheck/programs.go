//go:build gpu

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"dgsbench/kernels/cuda/driver"
)

// reluctance is how long a program may take to end when its time is over.
const reluctance = 5 * time.Second

// output runs a program. Its error holds the last line of what it complained.
// When the time is over, what the program has started ends with it: it is not
// waited for if a driver does not let go of it.
func output(ctx context.Context, dir, program string, arguments ...string) ([]byte, error) {
	type outcome struct {
		out []byte
		err error
	}
	ended := make(chan outcome, 1)
	go func() {
		out, err := outputOf(ctx, dir, program, arguments...)
		ended <- outcome{out, err}
	}()
	select {
	case o := <-ended:
		return o.out, o.err
	case <-ctx.Done():
	}
	select {
	case o := <-ended:
		return o.out, o.err
	case <-time.After(reluctance):
		return nil, fmt.Errorf("%s was killed and does not end", filepath.Base(program))
	}
}

// outputOf is output, however long the program takes to end.
func outputOf(ctx context.Context, dir, program string, arguments ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, program, arguments...)
	command.Dir = dir
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	command.WaitDelay = time.Second
	var complaints bytes.Buffer
	command.Stderr = &complaints
	out, err := command.Output()
	if err != nil && complaints.Len() > 0 {
		lines := strings.Split(strings.TrimSpace(complaints.String()), "\n")
		err = fmt.Errorf("%w: %s", err, lines[len(lines)-1])
	}
	return out, err
}

// tests runs those of a package that fit the pattern, in its folder.
func (c *check) tests(pkg, pattern string) func(context.Context) error {
	return func(ctx context.Context) error {
		dir := filepath.Join(c.home, filepath.FromSlash(pkg))
		out, err := output(ctx, dir, filepath.Join(dir, "tests"), "-test.v", "-test.run", pattern)
		if err != nil {
			return fmt.Errorf("%w: %s", err, firstFailure(out))
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

// firstFailure is the first line of a test's output that says what is wrong.
func firstFailure(out []byte) string {
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSpace(line); strings.Contains(line, "_test.go:") || strings.HasPrefix(line, "panic:") || strings.HasPrefix(line, "--- FAIL") {
			return line
		}
	}
	return "see the test's output"
}

// bench runs the benchmark and gives what it prints.
func (c *check) bench(ctx context.Context, arguments ...string) ([]byte, error) {
	arguments = append(arguments, "--data", filepath.Join(c.home, "data"), "--out", c.records())
	return output(ctx, c.work, filepath.Join(c.home, "bench"), arguments...)
}

func (c *check) records() string { return filepath.Join(c.work, "records") }

// times runs a program that prints a line of JSON for each of its times. They
// are kept also of one that fails later.
func (c *check) times(ctx context.Context, dir, program string, arguments ...string) error {
	if c.report.Tiny {
		arguments = append(arguments, "-tiny")
	}
	out, err := output(ctx, dir, program, arguments...)
	for line := range bytes.Lines(out) {
		var t Time
		if json.Unmarshal(line, &t) == nil {
			c.report.Times = append(c.report.Times, t)
		}
	}
	return err
}

// own runs this program again, which then measures one thing.
func (c *check) own(what string) func(context.Context) error {
	return func(ctx context.Context) error { return c.times(ctx, c.work, c.program, "-measure", what) }
}
