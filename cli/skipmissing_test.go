package cli

import (
	"path/filepath"
	"strings"
	"testing"
)

const skippingSuite = `name: toy
title: Toy
protocol: {batch: 20, epochs: 1}
runs:
  - {task: lp, settings: [T], datasets: [collegemsg, toy, wikipedia-nofeat], models: [recency, graph-sprints], skip_missing: true}
`

// TestSkipMissing: a suite that can do without some of its datasets measures, plans and
// prints the others, in the same words by every command, and names those that it leaves out.
func TestSkipMissing(t *testing.T) {
	dir := workplace(t)
	data := filepath.Join(dir, "data")
	write(t, filepath.Join(dir, "specs", "toy.yaml"), skippingSuite)
	write(t, filepath.Join(dir, "own.yaml"), "id: own\nmodel: recency\ntitle: Own\n")
	do := func(command string, more ...string) (code int, stdout, stderr string) {
		return bench(append([]string{command}, all(dir, "out", more...)[1:]...)...)
	}
	left := "suite toy leaves out 2 datasets: dataset collegemsg: no file collegemsg.csv in " + data + "; make it from "
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"plan", "--dry-run"}, "2 trials: 0 found measured"},
		{[]string{"plan"}, "2 trials"},
		{[]string{"all", "--dry-run"}, "2 trials: 0 found measured"},
		{[]string{"all", filepath.Join(dir, "own.yaml"), "--dry-run"}, "3 trials: 0 found measured"},
		{[]string{"run"}, ""},
		{[]string{"all"}, "toy"},
	} {
		code, stdout, stderr := do(c.args[0], c.args[1:]...)
		if code != exitDone || strings.Count(stderr, left) != 1 || !strings.Contains(stderr, "; dataset wikipedia-nofeat: no file ") ||
			!strings.Contains(stdout, c.want) || strings.Contains(stdout, "collegemsg") {
			t.Errorf("%q: exit code %d\n%s%s", c.args, code, stdout, stderr)
		}
	}
	_, printed, _ := do("all", "--quiet")
	for _, name := range []string{"tables.md", "results.csv"} { // nothing of the suite was filtered
		if text := read(t, dir, "out", "toy", name); strings.Contains(text, "collegemsg") || !strings.Contains(text, "toy") {
			t.Errorf("%s:\n%s", name, text)
		}
	}
	for _, command := range []string{"tables", "results"} {
		code, stdout, stderr := do(command)
		if code != exitDone || stderr != "" || command == "tables" && stdout != printed {
			t.Errorf("%s: exit code %d\n%s%s\nexpected\n%s", command, code, stdout, stderr, printed)
		}
	}
	if code, _, stderr := do("report", filepath.Join(dir, "report.html")); code != exitDone || strings.Contains(read(t, dir, "report.html"), "collegemsg") {
		t.Errorf("report: exit code %d\n%s", code, stderr)
	}
	// What is named is expected, and has the same records.
	if code, _, stderr := do("run", "--datasets", "toy"); code != exitDone || !strings.Contains(stderr, "0 trials measured, 2 found measured") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
	for _, args := range [][]string{
		{"all", "--datasets", "toy,wikipedia-nofeat"}, {"run", "--data", dir}, {"all", "--data", dir, "--dry-run"}, // where there is none at all
	} {
		code, _, stderr := do(args[0], args[1:]...)
		if code != exitUsage || strings.Contains(stderr, "leaves out") || !strings.Contains(stderr, "--data DIR says where files are") {
			t.Errorf("%q: exit code %d\n%s", args, code, stderr)
		}
	}
}
