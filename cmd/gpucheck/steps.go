//go:build gpu

package main

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

//go:embed suites
var suites embed.FS

// check is a check in progress.
type check struct {
	home   string // where the binaries are
	work   string // for records and suites, removed at the end
	report Report
}

// unpackSuites writes the suites, which bench reads.
func (c *check) unpackSuites(tiny bool) error {
	size := "full"
	if tiny {
		size = "tiny"
	}
	files, err := fs.Sub(suites, "suites/"+size)
	if err != nil {
		return err
	}
	return os.CopyFS(c.work, files)
}

// all makes the steps, within eight minutes together.
func (c *check) all(ctx context.Context) {
	c.step(ctx, "driver", 20*time.Second, c.tests("kernels/cuda/driver", "."))
	c.step(ctx, "kernels", 60*time.Second, c.tests("kernels/cuda", "^Test(Conformance|Memory|TooMuch)"))
	c.step(ctx, "layers", 40*time.Second, c.tests("nn", "/cuda$"))
	c.step(ctx, "fixtures of DGS", 30*time.Second, c.tests("models/dgs", "PyTorch/cuda$"))
	c.step(ctx, "fixtures of Graph-Sprints", 20*time.Second, c.tests("models/graphsprints", "Fixture/cuda$"))
	c.step(ctx, "fixtures of TGN and Jodie", 30*time.Second, c.tests("models/internal/memory", "PyTorch|LastUpdates"))
	c.step(ctx, "conformance of models", 40*time.Second, c.tests("models/standard", "OnCard"))
	c.step(ctx, "training agrees", 80*time.Second, c.agreement)
	c.step(ctx, "latency", 60*time.Second, c.latency)
	c.step(ctx, "training and ranking", 50*time.Second, c.training)
	c.step(ctx, "PyTorch", 50*time.Second, c.peers)
}

// errSkipped is in the reason why a step was not made.
var errSkipped = errors.New("skipped")

// step makes one, and says how it went.
func (c *check) step(ctx context.Context, name string, limit time.Duration, do func(context.Context) error) {
	ctx, stop := context.WithTimeout(ctx, limit)
	defer stop()
	start := time.Now()
	err := do(ctx)
	if ctx.Err() != nil {
		err = fmt.Errorf("over its limit of %v", limit)
	}
	s := Step{Name: name, Outcome: "passed", Seconds: time.Since(start).Seconds()}
	switch {
	case errors.Is(err, errSkipped):
		s.Outcome, s.Detail = "skipped", err.Error()
	case err != nil:
		s.Outcome, s.Detail = "FAILED", err.Error()
	}
	fmt.Printf("%-28s %-8s %6.1f s  %s\n", s.Name, s.Outcome, s.Seconds, s.Detail)
	c.report.Steps = append(c.report.Steps, s)
}

// tests runs those of a package that fit the pattern, in its folder.
func (c *check) tests(pkg, pattern string) func(context.Context) error {
	return func(ctx context.Context) error {
		dir := filepath.Join(c.home, filepath.FromSlash(pkg))
		out, err := output(ctx, dir, filepath.Join(dir, "tests"), "-test.v", "-test.run", pattern)
		if err != nil {
			return fmt.Errorf("%w: %s", err, firstFailure(out))
		}
		if !bytes.Contains(out, []byte("--- PASS")) {
			return errors.New("no test was run")
		}
		return nil
	}
}

// bench runs the benchmark and gives what it prints.
func (c *check) bench(ctx context.Context, arguments ...string) ([]byte, error) {
	arguments = append(arguments, "--data", filepath.Join(c.home, "data"), "--out", c.records())
	return output(ctx, c.work, filepath.Join(c.home, "bench"), arguments...)
}

func (c *check) records() string { return filepath.Join(c.work, "records") }

// output runs a program. Its error holds the last line of what it complained.
func output(ctx context.Context, dir, program string, arguments ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, program, arguments...)
	command.Dir = dir
	var complaints bytes.Buffer
	command.Stderr = &complaints
	out, err := command.Output()
	if err != nil && complaints.Len() > 0 {
		lines := strings.Split(strings.TrimSpace(complaints.String()), "\n")
		err = fmt.Errorf("%w: %s", err, lines[len(lines)-1])
	}
	return out, err
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
