package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDryRun: it says what is measured and what would be, and leaves nothing
// behind.
func TestDryRun(t *testing.T) {
	for _, command := range []string{"all", "run", "plan"} {
		dir := workplace(t)
		args := append(all(dir, "out"), "--dry-run")
		args[0] = command
		code, stdout, stderr := bench(args...)
		if want := "15 trials: 0 found measured in " + filepath.Join(dir, "out") + ", 15 would be measured\n"; code != exitDone || stderr != "" || !strings.HasSuffix(stdout, want) {
			t.Errorf("%s: exit code %d, no %q in\n%s%s", command, code, want, stdout, stderr)
		}
		if _, err := os.Stat(filepath.Join(dir, "out")); err == nil {
			t.Errorf("%s left a folder", command)
		}
		if code, _, stderr := bench(all(dir, "out", "--models", "user-count")...); code != exitDone {
			t.Fatal(stderr)
		}
		if code, stdout, stderr = bench(args...); code != exitDone || !strings.Contains(stdout, "15 trials: 1 found measured") {
			t.Errorf("%s: exit code %d\n%s%s", command, code, stdout, stderr)
		}
	}
}

// TestDryRunWithoutData: commands that could not start are refused in the same
// words as without --dry-run. A plan needs no data.
func TestDryRunWithoutData(t *testing.T) {
	dir := workplace(t)
	args := append(all(dir, "out"), "--data", dir, "--dry-run")
	code, stdout, stderr := bench(args...)
	if code != exitUsage || !strings.Contains(stdout, "no file toy.csv in "+dir) || !strings.HasSuffix(stderr, "--data DIR says where files are\n") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	args[0] = "plan"
	if code, _, stderr = bench(args...); code != exitDone {
		t.Errorf("plan: exit code %d\n%s", code, stderr)
	}
	args[0] = "all"
	if code, _, stderr = bench(append(args, "--out", "")...); code != exitUsage || !strings.Contains(stderr, "--out is empty") {
		t.Errorf("without a folder: exit code %d\n%s", code, stderr)
	}
}

// TestDryRunOfOthers: what the commands would do that measure anew each time,
// or fetch.
func TestDryRunOfOthers(t *testing.T) {
	dir := workplace(t)
	t.Chdir(dir)
	write(t, filepath.Join("data", "wikipedia.csv.part"), "a,b")
	timed := latencyArgs(latencyWorkplace(t, mixedSuite))
	for _, c := range []struct {
		args []string
		want string
	}{
		{timed, "2 trials would be measured, whether they have a record or not"},
		{append(timed, "--compare", os.Args[0]), "by " + os.Args[0] + ", 20 times each"},
		{[]string{"check"}, "282 trials would be measured, whether they have a record or not"},
		{[]string{"check", "--out", "kept"}, "282 trials: 0 found measured in kept"},
		{[]string{"scale", "user-count", "--sweep", "length=1e3,2e3"}, "2 points would be measured, 3000 events in all"},
		{[]string{"data", "fetch", "wikipedia"}, "would download http://snap.stanford.edu/jodie/wikipedia.csv to data/wikipedia.csv, of which 3 bytes are there"},
	} {
		code, stdout, stderr := bench(append(c.args, "--dry-run")...)
		if code != exitDone || stderr != "" || !strings.Contains(stdout, c.want) {
			t.Errorf("%s: exit code %d, no %q in\n%s%s", strings.Join(c.args, " "), code, c.want, stdout, stderr)
		}
	}
	left, err := os.ReadDir(".")
	if err != nil || len(left) != 2 {
		t.Errorf("%v, %v: expected data and specs", left, err)
	}
}
