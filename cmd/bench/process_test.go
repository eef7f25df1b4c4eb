package main

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// process is bench in a process of its own.
func process(args ...string) (*exec.Cmd, *bytes.Buffer, *bytes.Buffer) {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), child+"=1")
	var out, err bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &err
	return cmd, &out, &err
}

// TestKilledRunsEndWithTheSameTables: SIGKILL at ten random moments of a
// run, and then to the end: tables and numbers are those of a run that
// nobody disturbed, byte for byte.
func TestKilledRunsEndWithTheSameTables(t *testing.T) {
	dir := workplace(t)
	cmd, want, stderr := process(all(dir, "whole")...)
	start := time.Now()
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	whole := time.Since(start)
	rng := rand.New(rand.NewPCG(1, 2))
	killed := 0
	for range 10 {
		cmd, _, stderr := process(all(dir, "killed")...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rng.Float64() * float64(whole) / 2))
		_ = cmd.Process.Kill() // it may be done
		var exit *exec.ExitError
		switch err := cmd.Wait(); {
		case err == nil:
		case errors.As(err, &exit) && exit.ExitCode() == -1:
			killed++
		default:
			t.Fatalf("%v\n%s", err, stderr)
		}
	}
	if killed == 0 {
		t.Fatal("no run was killed")
	}
	cmd, got, stderr := process(all(dir, "killed")...)
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	if diff := cmp.Diff(want.String(), got.String()); diff != "" {
		t.Errorf("tables, undisturbed (-) and killed %d times (+):\n%s", killed, diff)
	}
	for _, name := range []string{"tables.md", "results.csv"} {
		if diff := cmp.Diff(read(t, dir, "whole", "toy", name), read(t, dir, "killed", "toy", name)); diff != "" {
			t.Errorf("%s, undisturbed (-) and killed %d times (+):\n%s", name, killed, diff)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, "killed", "*", "*", "*", "*", "*.tmp-*")); err != nil || len(left) > 0 {
		t.Errorf("temporary files are left: %v %v", left, err)
	}
}

// TestInterrupt: exit code 130, and a message that says how to go on.
func TestInterrupt(t *testing.T) {
	dir := workplace(t)
	cmd, _, stderr := process(all(dir, "out", "--seeds", "400")...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(500 * time.Millisecond)
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
		t.Errorf("%v, expected exit code %d\n%s", err, exitInterrupted, stderr)
	}
	if !strings.Contains(stderr.String(), "run the same command again to go on") {
		t.Errorf("it does not say how to go on:\n%s", stderr)
	}
}
