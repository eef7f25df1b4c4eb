package cli

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"dgsbench/internal/ram/ramtest"
)

// limited is bench in a process of its own, after a command of the shell.
func limited(t *testing.T, before string, args ...string) (code int, stderr string) {
	t.Helper()
	cmd, _, out := process(args...)
	cmd.Args = append([]string{"bash", "-c", before + ` && exec "$0" "$@"`}, cmd.Args...)
	path, err := exec.LookPath("bash")
	if err != nil {
		t.Skip(err)
	}
	cmd.Path = path
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String()
}

// TestTooLargeForTheGroup: in a control group, what would be killed there is
// refused with the numbers, at once, by every command that loads data.
func TestTooLargeForTheGroup(t *testing.T) {
	join := ramtest.Group(t, 400<<20)
	dir := t.TempDir()
	suite := filepath.Join(dir, "large.yaml")
	write(t, suite, "name: large\ntitle: Large\nseeds: 1\nruns: [{task: nc, datasets: [fi-b-sim@3], models: [user-count]}]\n")
	timed := filepath.Join(dir, "timed.yaml")
	write(t, timed, "name: timed\ntitle: Timed\nseeds: 1\nruns: [{task: nc, datasets: [fi-b-sim@3], models: [user-count], protocol: {latency: {batches: 5, lead: 400, iterations: 2}}}]\n")
	out := filepath.Join(dir, "out")
	for _, args := range [][]string{
		{"data", "stats", "fi-b-sim@3"},
		{"all", suite, "--out", out}, {"run", suite, "--out", out}, {"plan", suite, "--out", out},
		{"latency", timed, "--out", out}, {"run", timed, "--out", out},
		{"tune", "--model", "dgs", "--dataset", "fi-b-sim@3", "--task", "nc", "--trials", "1", "--random", "1", "--out", out},
	} {
		code, stderr := limited(t, join, args...)
		if code != exitUsage || !strings.Contains(stderr, "bench: dataset fi-b-sim@3: needs 0.5 GB of memory, 0.") {
			t.Errorf("%v: exit code %d\n%s", args, code, stderr)
		}
	}
	if code, stderr := limited(t, join, "data", "stats", "shop-sim"); code != exitDone {
		t.Errorf("a stream that fits: exit code %d\n%s", code, stderr)
	}
}

// TestImportTooLarge: events that have no room are refused before they are
// read, and so is a packed file that asks for a window of half a gigabyte.
func TestImportTooLarge(t *testing.T) {
	join := ramtest.Group(t, 160<<20)
	dir := t.TempDir()
	plain, packed := filepath.Join(dir, "long.csv"), filepath.Join(dir, "wide.zst")
	write(t, plain, "a,b,t\n"+strings.Repeat("1,2,3\n", 10_000_000))
	// A frame with a window of 2^29 bytes (RFC 8878) and one raw block.
	write(t, packed, "\x28\xb5\x2f\xfd\x00\x98\x31\x00\x00a,b,t\n")
	for file, want := range map[string]string{
		plain:  "long.csv with 10000000 events: needs 0.2 GB of memory, ",
		packed: "wide.zst: unpacking it takes a window of more than ",
	} {
		code, stderr := limited(t, join, "data", "import", file, "--data", filepath.Join(dir, "data"), "--name", "mine", "--src", "a", "--dst", "b", "--time", "t")
		if code != exitUsage || !strings.Contains(stderr, want) || !strings.Contains(stderr, "are free") {
			t.Errorf("exit code %d, expected %q\n%s", code, want, stderr)
		}
	}
}

// TestScaleTooLarge: a point without room says so, and the others are measured.
func TestScaleTooLarge(t *testing.T) {
	join := ramtest.Group(t, 400<<20)
	code, stderr := limited(t, join, "scale", "dgs", "--sweep", "nodes=1000,1e8", "--length", "2000", "--out", t.TempDir())
	if code != exitFailed || !strings.Contains(stderr, "nodes=100000000: the stream: needs 1.") || !strings.Contains(stderr, "1 points measured, 1 failed") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
	code, stderr = limited(t, join, "scale", "dgs", "--sweep", "nodes=2e6", "--length", "2000", "--out", t.TempDir())
	if code != exitFailed || !strings.Contains(stderr, "nodes=2000000: the model: needs ") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
}

// TestTooLargeForTheAddresses: the same where the addresses of the process are
// limited, and no trace of goroutines.
func TestTooLargeForTheAddresses(t *testing.T) {
	code, stderr := limited(t, "ulimit -v 2500000", "data", "stats", "reddit-sim@5")
	if code != exitUsage || !strings.HasPrefix(stderr, "bench: dataset reddit-sim@5: needs 2.4 GB of memory, ") || strings.Contains(stderr, "goroutine") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
}
