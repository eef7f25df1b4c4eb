package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"dgsbench/results/record"

	"github.com/google/go-cmp/cmp"
)

// tuneToy are the arguments of a small search of two models on the toy.
func tuneToy(dir, out string, more ...string) []string {
	return tuneModels("raw,graph-sprints", dir, out, more...)
}

func tuneModels(models, dir, out string, more ...string) []string {
	return append([]string{
		"tune", "--model", models, "--dataset", "toy", "--task", "nc", "--trials", "6", "--random", "4", "--epochs", "3",
		"--data", filepath.Join(dir, "data"), "--out", filepath.Join(dir, out),
	}, more...)
}

// varying is what differs between two runs of the same search, or between
// two datasets that differ in their test part.
var varying = regexp.MustCompile(`"(seconds|identity|data_sha256|seal)":[^,}]+`)

// histories are the lines of all studies below out.
func histories(t *testing.T, dir, out string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, out, "tuned", "*", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d histories, %v", len(files), err)
	}
	all := map[string]string{}
	for _, f := range files {
		all[filepath.Base(f)] = varying.ReplaceAllString(read(t, f), "")
	}
	return all
}

// A search leaves histories, figures, a table and specs, and the specs run.
func TestTune(t *testing.T) {
	dir := workplace(t)
	code, stdout, stderr := bench(tuneToy(dir, "out")...)
	if code != exitDone {
		t.Fatal(stderr)
	}
	if got := read(t, dir, "out", "tuned", "changes.md"); got != stdout || !strings.Contains(got, "\n## toy-nc\n\ntoy, simulated.\n\n| model         | own, AUC in % |") {
		t.Errorf("the table is not what was printed:\n%s\n%s", got, stdout)
	}
	var phases []string
	for _, m := range regexp.MustCompile(`"phase":"(\w+)"`).FindAllStringSubmatch(histories(t, dir, "out")["raw.jsonl"], -1) {
		phases = append(phases, m[1])
	}
	if want := []string{"default", "random", "random", "random", "random", "tpe", "tpe"}; !slices.Equal(phases, want) {
		t.Errorf("phases %v, want %v", phases, want)
	}
	for _, name := range []string{"raw-history.svg", "raw-history.png"} {
		if info, err := os.Stat(filepath.Join(dir, "out", "tuned", "toy-nc", name)); err != nil || info.Size() < 1000 {
			t.Errorf("%s: %v", name, err)
		}
	}
	spec := filepath.Join(dir, "out", "tuned", "specs", "raw.yaml")
	if code, _, stderr := bench("run", spec, "--suite", "toy", "--seeds", "1", "--data", filepath.Join(dir, "data"), "--specs", filepath.Join(dir, "specs"), "--out", filepath.Join(dir, "after")); code != exitDone {
		t.Fatal(stderr)
	}
	records, err := filepath.Glob(filepath.Join(dir, "after", "toy", "toy", "nc", "raw", "*.json"))
	if err != nil || len(records) != 1 || !strings.Contains(read(t, records[0]), `"record": "best of 6 trials, tuned/toy-nc/raw.jsonl"`) {
		t.Errorf("%v, %v: no record with tuned options", records, err)
	}
	code, stdout, _ = bench("spec", "show", "raw", "--dataset", "toy", "--task", "nc", "--specs", filepath.Dir(spec))
	if code != exitDone || !strings.Contains(stdout, "# tuned (best of 6 trials, tuned/toy-nc/raw.jsonl), "+spec) {
		t.Errorf("exit code %d:\n%s", code, stdout)
	}
}

// The result depends neither on the number of workers, as long as each has a
// model of its own, nor on interruptions: whether the histories have lost
// their last lines or are gone, and only the trials' records are there.
func TestTuneIsDeterministic(t *testing.T) {
	dir := workplace(t)
	if code, _, stderr := bench(tuneToy(dir, "one", "--workers", "1")...); code != exitDone {
		t.Fatal(stderr)
	}
	want := histories(t, dir, "one")
	again := func(name, out string) {
		t.Helper()
		if code, _, stderr := bench(tuneToy(dir, out, "--workers", "2")...); code != exitDone {
			t.Fatal(stderr)
		}
		if diff := cmp.Diff(want, histories(t, dir, out)); diff != "" {
			t.Errorf("%s (-one worker +this):\n%s", name, diff)
		}
	}
	again("two workers", "two")
	file := filepath.Join(dir, "two", "tuned", "toy-nc", "raw.jsonl")
	lines := strings.SplitAfter(read(t, file), "\n")
	write(t, file, string(record.Lines.Add([]byte(strings.Join(lines[:5], "")))))
	again("after losing three lines", "two")
	if err := os.RemoveAll(filepath.Join(dir, "two", "tuned")); err != nil {
		t.Fatal(err)
	}
	again("from records alone", "two")
	if code, _, stderr := bench(tuneToy(dir, "two")...); code != exitDone || !strings.Contains(stderr, "0 trials measured, 14 found measured") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
}

// A killed search continues where it stopped, and ends as if nothing had happened.
func TestTuneKilled(t *testing.T) {
	dir := workplace(t)
	args := func(out string) []string {
		return tuneModels("raw", dir, out, "--workers", "1", "--trials", "40", "--random", "30")
	}
	cmd, _, stderr := process(args("killed")...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	history := filepath.Join(dir, "killed", "tuned", "toy-nc", "raw.jsonl")
	for begin := time.Now(); ; time.Sleep(time.Millisecond) {
		if text, err := os.ReadFile(history); err == nil && strings.Count(string(text), "\n") > 4 {
			break
		}
		if time.Since(begin) > time.Minute {
			t.Fatalf("no trial in a minute\n%s", stderr)
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	for _, out := range []string{"killed", "whole"} {
		if code, _, stderr := bench(args(out)...); code != exitDone {
			t.Fatal(stderr)
		}
	}
	if diff := cmp.Diff(histories(t, dir, "whole"), histories(t, dir, "killed")); diff != "" {
		t.Errorf("(-whole +killed):\n%s", diff)
	}
}

// What stands in the test part changes nothing: labels, features, times and
// partners of the last fifth of the events are others.
func TestTuneNeverLooksAtTheTestPart(t *testing.T) {
	dir := workplace(t)
	args := func(out string) []string {
		return tuneModels("graph-sprints,raw,tgn-id", dir, out, "--trials", "3", "--random", "2")
	}
	lp := func(out string) []string {
		return []string{
			"tune", "--model", "graph-sprints", "--dataset", "toy", "--task", "lp", "--trials", "2", "--random", "1",
			"--epochs", "2", "--data", filepath.Join(dir, "data"), "--out", filepath.Join(dir, out),
		}
	}
	for _, a := range [][]string{args("before"), lp("before")} {
		if code, _, stderr := bench(a...); code != exitDone {
			t.Fatal(stderr)
		}
	}
	file := filepath.Join(dir, "data", "toy.csv")
	lines := strings.Split(strings.TrimSpace(read(t, file)), "\n")
	for k := 1 + 720; k < len(lines); k++ {
		lines[k] = fmt.Sprintf("u%d,i%d,%d,%d,%d,7", (k*7)%40, k%9, 3*k, k%2, k)
	}
	write(t, file, strings.Join(lines, "\n")+"\n")
	for _, a := range [][]string{args("after"), lp("after")} {
		if code, _, stderr := bench(a...); code != exitDone {
			t.Fatal(stderr)
		}
	}
	if diff := cmp.Diff(histories(t, dir, "before"), histories(t, dir, "after")); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
}

// With a suite, every learned model is tuned wherever it is scored.
func TestTuneSuite(t *testing.T) {
	dir := workplace(t)
	write(t, filepath.Join(dir, "specs", "toy.yaml"), strings.Replace(toySuite, "edgebank+tw]", "graph-sprints]", 1))
	args := []string{"tune", "--suite", "toy", "--specs", filepath.Join(dir, "specs"), "--data", filepath.Join(dir, "data"), "--trials", "2", "--random", "1", "--out", filepath.Join(dir, "out")}
	code, stdout, stderr := bench(append(args, "--dry-run", "--json")...)
	var plan struct {
		Studies []struct{ Model, Task, Setting, Source string }
		Seconds struct{ Mean float64 }
		Memory  int64
	}
	if err := json.Unmarshal([]byte(stdout), &plan); err != nil || code != exitDone || stderr != "" {
		t.Fatalf("%v, %s", err, stderr)
	}
	want := "[{graph-sprints lp T estimated} {graph-sprints lp I estimated} {raw nc  estimated} {graph-sprints nc  estimated}]"
	if got := fmt.Sprint(plan.Studies); got != want || plan.Seconds.Mean <= 0 || plan.Memory <= 0 {
		t.Errorf("got %s, want %s; %v", got, want, plan)
	}
	if _, err := os.Stat(filepath.Join(dir, "out")); err == nil {
		t.Error("--dry-run has written something")
	}
	code, stdout, stderr = bench(append(args, "--json")...)
	var got []struct {
		Model, Metric string
		Own, Best     *float64
		Trials        int
	}
	if err := json.Unmarshal([]byte(stdout), &got); err != nil || code != exitDone || len(got) != 4 {
		t.Fatalf("%v, %s", err, stderr)
	}
	if r := got[0]; r.Metric != "MRR" || r.Own == nil || r.Best == nil || r.Trials != 2 {
		t.Errorf("got %+v", r)
	}
	// The spec of graph-sprints has what was found at all three places.
	if n := strings.Count(read(t, dir, "out", "tuned", "specs", "graph-sprints.yaml"), "match:"); n != 3 {
		t.Errorf("%d overrides, want 3", n)
	}
}

// A validation that says nothing of any trial finds no options: where there is
// one candidate all come out first, and where no feature ever differs all events
// have one score.
func TestTuneOnValidationThatSaysNothing(t *testing.T) {
	dir := t.TempDir()
	var csv strings.Builder
	csv.WriteString("src,dst,t,label,a,b\n")
	for k := range 300 {
		fmt.Fprintf(&csv, "u%d,i0,%d,%d,1,1\n", k%7, k, k/3%2)
	}
	write(t, filepath.Join(dir, "data", "toy.csv"), csv.String())
	write(t, filepath.Join(dir, "specs", "toy.yaml"), `name: toy
title: toy
protocol: {epochs: 2, candidates: [destinations]}
runs:
  - {task: lp, settings: [T], datasets: [toy], models: [graph-sprints]}
  - {task: nc, datasets: [toy], models: [raw]}
`)
	code, stdout, stderr := bench("tune", "--suite", "toy", "--specs", filepath.Join(dir, "specs"), "--data", filepath.Join(dir, "data"),
		"--trials", "2", "--random", "1", "--out", filepath.Join(dir, "out"))
	if code != exitFailed {
		t.Errorf("exit code %d", code)
	}
	for _, want := range []string{
		"failed: graph-sprints on toy-lp-T, trial 0 (random): the validation says nothing of the model: no event had a negative",
		"failed: raw on toy-nc, trial 1 (tpe): the validation says nothing of the model: every event got the same score",
		"every trial failed of: graph-sprints on toy-lp-T; raw on toy-nc; ",
	} {
		if !strings.Contains(stderr, want) {
			t.Errorf("expected %q in\n%s", want, stderr)
		}
	}
	if strings.Contains(stdout, "number ") {
		t.Errorf("there is a best trial:\n%s", stdout)
	}
	if specs, err := filepath.Glob(filepath.Join(dir, "out", "tuned", "specs", "*")); err != nil || len(specs) > 0 {
		t.Errorf("specs %v, %v", specs, err)
	}
}

// A plan says how long a search takes: by estimating trials, then by those
// that are over.
func TestTunePlan(t *testing.T) {
	dir := workplace(t)
	for _, c := range []struct {
		more []string
		want []string
	}{
		{nil, []string{"3 estimated", "14 trials, 14 to do: about ", "memory: up to ", "stopped early, they take less"}},
		{[]string{"--trials", "8"}, []string{"6 past trials", "18 trials, 4 to do: about "}},
		{nil, []string{"all measured", "14 trials, 0 to do: nothing is left"}},
	} {
		code, stdout, stderr := bench(tuneToy(dir, "out", append(c.more, "--dry-run")...)...)
		for _, want := range c.want {
			if code != exitDone || stderr != "" || !strings.Contains(stdout, want) {
				t.Errorf("exit code %d, no %q in\n%s%s", code, want, stdout, stderr)
			}
		}
		if code, _, stderr := bench(tuneToy(dir, "out")...); code != exitDone {
			t.Fatal(stderr)
		}
	}
}

func TestTuneRefuses(t *testing.T) {
	dir := workplace(t)
	if code, _, stderr := bench(tuneModels("raw", dir, "out", "--trials", "1", "--random", "1")...); code != exitDone {
		t.Fatal(stderr)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"tune"}, "expected --model, --dataset and --task, or --suite"},
		{[]string{"tune", "--suite", "quick", "--setting", "T"}, "--setting is for tuning without --suite"},
		{[]string{"tune", "--suite", "quick", "--model", "edgebank"}, `suite "quick" has no learned model to tune`},
		{tuneModels("edgebank", dir, "x"), `cannot do the task "nc"`},
		{tuneModels("user-count", dir, "x"), "has nothing to learn"},
		{tuneModels("rwa", dir, "x"), `unknown model "rwa" (did you mean "raw"?)`},
		{tuneToy(dir, "x", "--task", "xx"), `--task is "xx", expected nc or lp`},
		{tuneToy(dir, "x", "--dataset", "collegemsg"), `dataset "collegemsg" has no labels`},
		{tuneToy(dir, "x", "--random", "7"), "6 trials with 7 random ones"},
		{tuneToy(dir, "x", "--epochs", "-1"), "are 0 or more"},
		{tuneModels("raw", dir, "out", "--seed", "1"), "is of a study with another own, random, seed; choose another --out"},
	} {
		if code, _, stderr := bench(c.args...); code != exitUsage || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: exit code %d, %q, want %q", c.args, code, stderr, c.want)
		}
	}
}
