package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dgsbench/harness/latency"
	"dgsbench/kernels/devices"
)

// latencySuite is a latency test of the toy data.
const latencySuite = `name: toy-latency
title: Toy
protocol:
  batch: 20
  latency: {batches: 20, iterations: 3, lead: 40, sweep: [1, 50], sweep_batches: 100, sweep_iterations: 2}
runs:
  - {task: nc, datasets: [toy], models: [user-count, graph-sprints]}
`

// latencyWorkplace has the suite beside the toy's data.
func latencyWorkplace(t *testing.T, suite string) (dir string) {
	t.Helper()
	dir = workplace(t)
	write(t, filepath.Join(dir, "specs", "toy-latency.yaml"), suite)
	return dir
}

// latencyArgs are the arguments of a run of the suite.
func latencyArgs(dir string, more ...string) []string {
	return append([]string{
		"latency", "--suite", "toy-latency", "--data", filepath.Join(dir, "data"),
		"--specs", filepath.Join(dir, "specs"), "--out", filepath.Join(dir, "out"),
	}, more...)
}

// TestLatency prints the table, keeps records that the other commands show,
// and leaves table and rows beside them.
func TestLatency(t *testing.T) {
	dir := latencyWorkplace(t, latencySuite)
	code, stdout, stderr := bench(latencyArgs(dir)...)
	if code != exitDone || !strings.Contains(stderr, "done: 3 models measured, 0 failed") {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	for _, want := range []string{
		"streaming: 20 batches of 20 events", "Graph-Sprints, deployed", "User's event count", "single events: 2 times the first 100",
		"simulated data", "threads, cpu", "run of 2", "Made by: bench latency --suite toy-latency",
	} {
		if !strings.Contains(strings.Join(strings.Fields(stdout), " "), want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
	if lines := strings.Count(stderr, "/6] toy"); lines != 6 {
		t.Errorf("%d steps of 6 in\n%s", lines, stderr)
	}
	csv := read(t, dir, "out", "toy-latency", "results.csv")
	if !strings.Contains(csv, "toy-latency,toy,nc,,graph-sprints,deployed,,last,"+devices.Target{}.Name()+",latency_20x20,s,") {
		t.Errorf("no headline in\n%s", csv)
	}
	if table := read(t, dir, "out", "toy-latency", "tables.md"); !strings.Contains(table, "### Latency on toy") {
		t.Errorf("no table in\n%s", table)
	}
	for command, want := range map[string]string{"tables": stdout, "results": csv} {
		args := latencyArgs(dir)
		args[0] = command
		if code, stdout, stderr := bench(args...); code != exitDone || stdout != want {
			t.Errorf("bench %s: exit code %d, %s\n%s\nexpected\n%s", command, code, stderr, stdout, want)
		}
	}
}

// TestLatencyJSON: one report on standard output, with every batch size.
func TestLatencyJSON(t *testing.T) {
	dir := latencyWorkplace(t, latencySuite)
	code, stdout, stderr := bench(latencyArgs(dir, "--json", "--models", "graph-sprints", "--threads", "1")...)
	if code != exitDone {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	var r latency.Summary
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Models) != 2 || r.Models[1].Model != "graph-sprints+deployed" || r.Threads != 1 || r.Models[1].Mode != "streaming" {
		t.Fatalf("%+v", r)
	}
	for i, batch := range []int{20, 1, 50} {
		at := r.Models[0].Timings[i]
		if at.Batch != batch || len(at.Iterations) != []int{3, 2, 2}[i] || !(at.P50 > 0 && at.P999 <= at.Max) || at.Histogram == "" {
			t.Errorf("timing %d: %+v", i, at)
		}
	}
}

// TestLatencyCSV has the same rows as the records.
func TestLatencyCSV(t *testing.T) {
	dir := latencyWorkplace(t, latencySuite)
	code, stdout, stderr := bench(latencyArgs(dir, "--format", "csv")...)
	if want := read(t, dir, "out", "toy-latency", "results.csv"); code != exitDone || stdout != want {
		t.Errorf("exit code %d\n%s%s\nexpected\n%s", code, stderr, stdout, want)
	}
}

// TestLatencyFailure: exit code 1, and the others are measured.
func TestLatencyFailure(t *testing.T) {
	dir := latencyWorkplace(t, strings.Replace(latencySuite, "graph-sprints", "broken", 1))
	write(t, filepath.Join(dir, "specs", "broken.yaml"), "id: broken\nmodel: broken\ntitle: Broken\n")
	code, stdout, stderr := bench(latencyArgs(dir)...)
	if code != exitFailed || !strings.Contains(stderr, "1 models measured, 1 failed") || !strings.Contains(stdout, "score of event 720 is NaN") {
		t.Errorf("exit code %d\n%s%s", code, stderr, stdout)
	}
}

// mixedSuite has trials and latency tests.
const mixedSuite = `name: toy-latency
title: Toy
protocol: {batch: 20}
runs:
  - {task: nc, datasets: [toy], models: [user-count]}
  - {task: nc, datasets: [toy], models: [user-count, user-age], protocol: {latency: {batches: 20, iterations: 3, lead: 40}}}
`

// TestMixedSuite: all measures and shows both sorts, continues where something
// is missing, and leaves the rest alone; latency measures its sort anew.
func TestMixedSuite(t *testing.T) {
	dir := latencyWorkplace(t, mixedSuite)
	allArgs := latencyArgs(dir)
	allArgs[0] = "all"
	measure := func(done string, args []string) string {
		t.Helper()
		code, stdout, stderr := bench(args...)
		if code != exitDone || !strings.Contains(stderr, "done: "+done) {
			t.Fatalf("exit code %d, expected %q in\n%s", code, done, stderr)
		}
		return stdout
	}
	first := measure("3 trials measured, 0 found measured, 0 failed", allArgs)
	for _, want := range []string{"Node classification, test events (toy-latency: Toy)", "Latency on toy", "Made by: bench all --suite toy-latency"} {
		if !strings.Contains(first, want) {
			t.Errorf("no %q in\n%s", want, first)
		}
	}
	if again := measure("0 trials measured, 3 found measured, 0 failed", allArgs); again != first {
		t.Errorf("the second time\n%s\nexpected\n%s", again, first)
	}
	remove(t, dir, "out/toy-latency/toy/nc-latency/user-age")
	measure("2 trials measured, 1 found measured, 0 failed", allArgs)

	timed := measure("2 models measured, 0 failed", latencyArgs(dir))
	if strings.Contains(timed, "Node classification, test events") || !strings.Contains(timed, "Latency on toy") {
		t.Errorf("bench latency prints\n%s", timed)
	}
	left := read(t, dir, "out", "toy-latency", "tables.md")
	if !strings.Contains(left, "Node classification, test events") || !strings.Contains(left, "Latency on toy") {
		t.Errorf("bench latency leaves\n%s", left)
	}
}

// remove takes a folder of results away.
func remove(t *testing.T, dir, what string) {
	t.Helper()
	full := filepath.Join(dir, filepath.FromSlash(what))
	if _, err := os.Stat(full); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(full); err != nil {
		t.Fatal(err)
	}
}

// TestLatencyWrongUse: exit code 2 and one line.
func TestLatencyWrongUse(t *testing.T) {
	dir := latencyWorkplace(t, latencySuite)
	for _, c := range []struct {
		args []string
		want string
	}{
		{latencyArgs(dir, "--suite", "toy"), "suite toy has no latency test"},
		{latencyArgs(dir, "--threads", "0"), "--threads is 0, expected 1 to 1024"},
		{latencyArgs(dir, "--format", "pdf"), `--format is "pdf", expected`},
		{latencyArgs(dir, "--compare", filepath.Join(dir, "nothing")), "expected a build of bench"},
		{latencyArgs(dir, "--compare", os.Args[0], "--alternations", "19"), "19 alternations, expected at least 20"},
		{latencyArgs(dir, "--compare", os.Args[0], "--format", "csv"), `--format is "csv", which --compare has not: expected text, or --json`},
		{latencyArgs(dir, "--out", ""), "--out is empty"},
	} {
		code, stdout, stderr := bench(c.args...)
		if code != exitUsage || stdout != "" || !strings.Contains(stderr, c.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("bench %s: exit code %d, stdout %q, stderr %q; expected exit code 2 and one line with %q",
				strings.Join(c.args, " "), code, stdout, stderr, c.want)
		}
	}
}

// sleeperLatency is a latency test of milliseconds.
const sleeperLatency = `name: toy-latency
title: Toy
protocol: {batch: 20, latency: {batches: 2, iterations: 2, lead: 20}}
runs:
  - {task: nc, datasets: [toy], models: [sleeper]}
`

// TestLatencyCompare: two builds alternate, and the slower one fails. The
// model sleeps for as long as its environment says, which a script around the
// other build changes.
func TestLatencyCompare(t *testing.T) {
	dir := latencyWorkplace(t, sleeperLatency)
	write(t, filepath.Join(dir, "specs", "sleeper.yaml"), "id: sleeper\nmodel: sleeper\ntitle: Sleeper\n")
	for _, c := range []struct {
		name, old, own string
		code           int
		want           string
	}{
		{"slower", "1ms " + portable, "4ms", exitFailed, "this build is slower than"},
		{"faster", "4ms", "1ms", exitDone, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			old := filepath.Join(dir, c.name+".sh")
			write(t, old, fmt.Sprintf(oldBuild, sleep, c.old, os.Args[0]))
			if err := os.Chmod(old, 0o755); err != nil {
				t.Fatal(err)
			}
			cmd, stdout, stderr := process(latencyArgs(dir, "--compare", old)...)
			cmd.Env = append(cmd.Env, sleep+"="+c.own)
			_ = cmd.Run() // its exit code is looked at
			if code := cmd.ProcessState.ExitCode(); code != c.code || !strings.Contains(stderr.String(), c.want) ||
				!strings.Contains(stdout.String(), "sleeper on toy, batches of 20: median of new/old ") || !strings.Contains(stderr.String(), "[20/20] pair 20") {
				t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
			}
			forced := strings.Contains(c.old, portable) && hasVectors()
			if strings.Contains(stderr.String(), ", portable kernels ("+old+") and ") != forced {
				t.Errorf("kernels of both builds:\n%s", stderr)
			}
			if _, err := os.Stat(filepath.Join(dir, "out")); err == nil {
				t.Error("a comparison leaves records")
			}
		})
	}
}

// oldBuild runs a build with a sleep, in a folder where nobody else may write
// records: those of another build may be of another version.
const oldBuild = `#!/bin/sh
arguments="$*"
while [ "$1" != --out ]; do shift; done
if [ -e "$2" ] && [ "$(cat "$2"/*/*/*/*/*.json | cksum)" != "$(cat "$2/mine")" ]; then
	echo "another build has written here" >&2
	exit 3
fi
%s=%s %s $arguments || exit
cat "$2"/*/*/*/*/*.json | cksum >"$2/mine"
`

// sameBuild is a comparison of this build with itself.
func sameBuild(t *testing.T, more ...string) []string {
	t.Helper()
	dir := latencyWorkplace(t, sleeperLatency)
	write(t, filepath.Join(dir, "specs", "sleeper.yaml"), "id: sleeper\nmodel: sleeper\ntitle: Sleeper\n")
	t.Setenv(child, "1") // the builds are processes of this test
	t.Setenv(sleep, "0s")
	return latencyArgs(dir, append([]string{"--compare", os.Args[0]}, more...)...)
}

// TestLatencyCompareJSON: the verdicts, and nothing else, on standard output.
func TestLatencyCompareJSON(t *testing.T) {
	code, stdout, stderr := bench(sameBuild(t, "--json")...)
	var verdicts []latency.Verdict
	d := json.NewDecoder(strings.NewReader(stdout))
	d.DisallowUnknownFields()
	if err := d.Decode(&verdicts); err != nil || d.More() {
		t.Fatalf("exit code %d, %v\n%s%s", code, err, stdout, stderr)
	}
	if len(verdicts) != 1 || verdicts[0].Model != "sleeper" || len(verdicts[0].New) != 20 || !(verdicts[0].Ratio > 0) || !strings.Contains(stdout, `"slower":`) {
		t.Errorf("%+v", verdicts)
	}
	if want := map[bool]int{false: exitDone, true: exitFailed}[verdicts[0].Slower]; code != want {
		t.Errorf("exit code %d, expected %d", code, want)
	}
}

// TestLatencyCompareInterrupted: nothing was compared, in plain words.
func TestLatencyCompareInterrupted(t *testing.T) {
	args := sameBuild(t)
	ctx, cancel := context.WithCancel(t.Context())
	stdout, stderr := &bytes.Buffer{}, &stopAt{text: "[1/20]", stop: cancel}
	code := run(ctx, args, stdout, stderr)
	if code != exitInterrupted || stdout.Len() > 0 || !strings.HasSuffix(stderr.String(), "bench: interrupted; nothing was compared\n") {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
}
