package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// process is bench in a process of its own.
func process(args ...string) (*exec.Cmd, *bytes.Buffer, *bytes.Buffer) {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), child+"=1")
	var out, err bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &err
	return cmd, &out, &err
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
	if !strings.HasSuffix(stderr.String(), "; run the same command again to go on\n") {
		t.Errorf("it does not end with how to go on:\n%s", stderr)
	}
}

// TestMessage: an interruption's cause is left out, that of a failure is not.
func TestMessage(t *testing.T) {
	for want, err := range map[string]error{
		"interrupted":          context.Canceled,
		"interrupted; go on":   fmt.Errorf("interrupted; go on: %w", failure{context.Canceled}),
		"no file: not a thing": fmt.Errorf("no file: %w", errors.New("not a thing")),
	} {
		if got := message(err); got != want {
			t.Errorf("%q, expected %q", got, want)
		}
	}
}
