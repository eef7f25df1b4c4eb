package cli

import (
	"strings"
	"testing"
)

// TestQuiet: results, and nothing else unless something is wrong.
func TestQuiet(t *testing.T) {
	dir := workplace(t)
	code, stdout, stderr := bench(all(dir, "out", "--quiet")...)
	if code != exitDone || stderr != "" || !strings.Contains(stdout, "Node classification") {
		t.Errorf("exit code %d, stderr %q\n%s", code, stderr, stdout)
	}
	write(t, dir+"/specs/broken.yaml", "id: broken\nmodel: broken\ntitle: Broken\n")
	write(t, dir+"/specs/toy.yaml", strings.Replace(toySuite, "user-count", "broken", 1))
	code, _, stderr = bench(all(dir, "out", "-q")...)
	if code != exitFailed || !strings.HasPrefix(stderr, "failed: broken on toy") || strings.Count(stderr, "\n") != 2 {
		t.Errorf("exit code %d, expected the failed trial and the last line:\n%s", code, stderr)
	}
	if code, _, stderr = bench(all(dir, "out", "-q", "-v")...); code != exitUsage || !strings.Contains(stderr, "[quiet verbose]") {
		t.Errorf("both: exit code %d, %s", code, stderr)
	}
}

// TestVerbose: what is read, whether it comes from the cache, and every epoch; none of it by default.
func TestVerbose(t *testing.T) {
	dir := workplace(t)
	args := all(dir, "out", "--models", "raw", "--seeds", "1")
	code, quiet, stderr := bench(args...)
	if code != exitDone || strings.Contains(stderr, "epoch=") {
		t.Errorf("by default: exit code %d\n%s", code, stderr)
	}
	remove(t, dir, "out")
	code, stdout, stderr := bench(append(args, "--verbose")...)
	if code != exitDone || stdout != quiet {
		t.Errorf("exit code %d, and on standard output\n%s", code, stdout)
	}
	for _, want := range []string{"toy.csv cached=true", "dataset=toy events=900", "model=raw dataset=toy task=nc seed=0 epoch=4 loss="} {
		if !strings.Contains(stderr, want) {
			t.Errorf("no %q in\n%s", want, stderr)
		}
	}
	if _, _, stderr = bench(args...); strings.Contains(stderr, "cached=") {
		t.Errorf("the next command is verbose, too:\n%s", stderr)
	}
}
