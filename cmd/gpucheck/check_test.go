//go:build gpu

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dgsbench/datasets"
	"dgsbench/harness"
	"dgsbench/internal/optional"
	"dgsbench/protocol"
	"dgsbench/results/record"
	"dgsbench/results/record/recordtest"
	"dgsbench/specs"
)

// TestSuites: bench takes all of them, and there are tiny ones of the same
// names.
func TestSuites(t *testing.T) {
	names := []string{"agreement", "sensitive", "training"}
	for _, s := range latencySuites {
		names = append(names, strings.TrimSuffix(s.file, ".yaml"))
	}
	for _, size := range []string{"full", "tiny"} {
		for _, name := range names {
			if suite, trials := suiteOf(t, size, name); suite != "gpu-"+name || len(trials) == 0 {
				t.Errorf("%s/%s: suite %s with %d trials", size, name, suite, len(trials))
			}
		}
	}
}

func suiteOf(t *testing.T, size, name string) (string, []specs.Trial) {
	t.Helper()
	lib, err := specs.NewLibrary("")
	if err != nil {
		t.Fatal(err)
	}
	entry, err := lib.AddFile(filepath.Join("suites", size, name+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	suite, err := lib.LoadSuite(entry.Name)
	if err != nil {
		t.Fatal(err)
	}
	trials, err := suite.Trials(specs.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	return entry.Name, trials
}

// TestGoalsAreMeasured: a full check times what each goal is about.
func TestGoalsAreMeasured(t *testing.T) {
	type timed struct{ task, model string }
	all := map[timed]bool{{rankingTask, "all nodes"}: true}
	for _, s := range latencySuites {
		_, trials := suiteOf(t, "full", strings.TrimSuffix(s.file, ".yaml"))
		for _, trial := range trials {
			all[timed{inference, trial.Ref() + s.form}] = true
		}
	}
	_, trials := suiteOf(t, "full", "training")
	for _, trial := range trials {
		task := trainingNC
		if trial.Task == protocol.LinkPrediction {
			task = trainingLP
		}
		all[timed{task, trial.Ref()}] = true
	}
	goals, err := readGoals()
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range goals {
		if !all[timed{g.Task, g.Model}] {
			t.Errorf("%s: nothing times %s of %s", g.Goal, g.Task, g.Model)
		}
		if (g.AtMostMS > 0) == (g.Times > 0) || (g.Times > 0) != (g.Than != "") || g.Way == "" {
			t.Errorf("%+v: expected a way, and at_most_ms, or times and than", g)
		}
	}
}

// TestReach: a goal is met or not, or it is said what was not measured.
func TestReach(t *testing.T) {
	times := []Time{
		{Task: "a", Model: "b", Way: "ours", Seconds: []float64{.004, .001, .002}},
		{Task: "a", Model: "b", Way: "theirs", Seconds: []float64{.006}},
	}
	tests := []struct {
		goal Goal
		want string // the end of the table's row
	}{
		{Goal{Way: "ours", AtMostMS: 2}, "at most 2 ms | 2 ms | met (100%) |"},
		{Goal{Way: "ours", AtMostMS: 1.998}, "at most 1.998 ms | 2 ms | NOT MET (99%) |"},
		{Goal{Way: "ours", Times: 2, Than: "theirs"}, "2 times as fast as theirs | 3 times | met (150%) |"},
		{Goal{Way: "ours", Times: 4, Than: "theirs"}, "4 times as fast as theirs | 3 times | NOT MET (75%) |"},
		{Goal{Way: "ours", Times: 4, Than: "nobody's"}, "4 times as fast as nobody's | not measured: no time of nobody's | |"},
		{Goal{Way: "another", AtMostMS: 2}, "at most 2 ms | not measured: no time of another | |"},
	}
	for _, test := range tests {
		test.goal.Task, test.goal.Model = "a", "b"
		if got := squeezed(goalsTable([]Reached{test.goal.reach(times)})); !strings.HasSuffix(got, test.want) {
			t.Errorf("got\n%s\nexpected %s", got, test.want)
		}
	}
}

// squeezed has single spaces instead of any others.
func squeezed(text string) string { return strings.Join(strings.Fields(text), " ") }

// TestGoalsInDocs: the page shows what the newest results make of the goals.
func TestGoalsInDocs(t *testing.T) {
	root := filepath.Join("..", "..")
	page, err := os.ReadFile(filepath.Join(root, "docs", "latency.md"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := goalsText(filepath.Join(root, "results", "recorded"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), want) {
		t.Errorf("docs/latency.md does not show this:\n%s", want)
	}
}

func TestSteps(t *testing.T) {
	c := &check{out: t.TempDir(), began: time.Now()}
	steps := []struct {
		outcome string
		do      func(context.Context) error
	}{
		{passed, func(context.Context) error { return nil }},
		{failed, func(context.Context) error { return errors.New("no") }},
		{skipped, func(context.Context) error { return fmt.Errorf("%w: no torch", errSkipped) }},
		{failed, func(ctx context.Context) error { <-ctx.Done(); return nil }},
	}
	for i, s := range steps {
		c.run(t.Context(), step{fmt.Sprint(i), 1, s.do})
		if got := c.results.Steps[i]; got.Outcome != s.outcome {
			t.Errorf("step %d: %+v, expected %s", i, got, s.outcome)
		}
	}
	over, stop := context.WithCancel(t.Context())
	c.run(over, step{"ended with the check", 60, func(context.Context) error { stop(); return errors.New("killed") }})
	c.run(over, step{"late", 60, func(context.Context) error { t.Error("there was no time for it"); return nil }})
	late := c.results.Steps[len(steps):]
	if n := c.results.failed(); n != 2 || late[0].Outcome != skipped || late[1].Outcome != skipped {
		t.Errorf("%d failed, expected 2; %+v", n, c.results.Steps)
	}
	text, err := os.ReadFile(c.path() + ".md")
	if err != nil || !strings.Contains(squeezed(string(text)), "| 1 | FAILED |") {
		t.Errorf("a failure is not told: %v\n%s", err, text)
	}
}

// TestResume: what passed in an earlier check of the same kernels is not done
// again, and new times replace old ones.
func TestResume(t *testing.T) {
	facts := Facts{Card: "card", PTX: "1", Code: "old"}
	first := &check{out: t.TempDir(), results: Results{Facts: facts}}
	pass := func(context.Context) error { return nil }
	first.results.addTime(Time{Task: "a", Seconds: []float64{1}})
	first.run(t.Context(), step{"passes", 1, pass})
	first.run(t.Context(), step{"fails", 1, func(context.Context) error { return errors.New("no") }})

	facts.Code = "new"
	second := &check{out: first.out, results: Results{Facts: facts}}
	if err := second.resume(); err != nil {
		t.Fatal(err)
	}
	second.run(t.Context(), step{"passes", 1, func(context.Context) error { t.Error("it is done again"); return nil }})
	second.run(t.Context(), step{"fails", 1, pass})
	second.results.addTime(Time{Task: "a", Seconds: []float64{2}})
	if r := second.results; len(r.Steps) != 2 || r.failed() != 0 || len(r.Times) != 1 || r.Times[0].Seconds[0] != 2 || r.Facts.Code != "new, before old" {
		t.Errorf("%+v", r)
	}

	facts.PTX = "2"
	other := &check{out: first.out, results: Results{Facts: facts}}
	if err := other.resume(); err == nil || !strings.Contains(err.Error(), "kernels") {
		t.Errorf("error %v, expected one about other kernels", err)
	}
}

// TestProgramsEnd: one that is over its time ends with what it has started,
// though that holds its output open.
func TestProgramsEnd(t *testing.T) {
	ctx, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer stop()
	start := time.Now()
	if _, err := output(ctx, "", "sh", "-c", "sleep 60 & wait"); err == nil {
		t.Error("no error")
	}
	if took := time.Since(start); took > 30*time.Second {
		t.Errorf("it took %v", took)
	}
}

// TestCompare pairs the scores of the same trial on both devices, and leaves out
// those of one device alone.
func TestCompare(t *testing.T) {
	on := func(device, model string, value float64) record.Record {
		return record.Record{
			Device: device, Key: record.Key{CellKey: record.CellKey{Suite: "s", Dataset: "d", Task: "nc", Model: model}},
			Scores: []record.Score{{Part: record.Part{Split: "test"}, Metric: "auc", Value: optional.Number(value)}},
		}
	}
	got := compare([]record.Record{on("cuda", "a", .5), on("cpu/vector", "a", .75), on("cpu/vector", "b", .25)})
	if len(got) != 1 || got[0] != (Agreement{Cell: "a on d, nc (suite s)", Metric: "test auc", CPU: .75, CUDA: .5}) {
		t.Errorf("%+v", got)
	}
}

// TestIncompleteRecords: the error names a record without its facts.
func TestIncompleteRecords(t *testing.T) {
	store := record.Store{Dir: t.TempDir()}
	var last record.Record
	for _, c := range []struct{ device, model, digit string }{{"cuda", "dgs", "1"}, {"cpu/vector", "dgs", "2"}, {"cuda", "jodie", "1"}} {
		last = recordtest.Trial("nc", "", c.model, 0)
		last.Device, last.Identity = c.device, strings.Repeat(c.digit, len(last.Identity))
		last = recordtest.Write(t, store, last, recordtest.Classified())
	}
	file := store.Path(last.Key, last.Identity)
	if err := os.Remove(filepath.Join(filepath.Dir(file), last.Sidecar.File)); err != nil {
		t.Fatal(err)
	}
	pairs, err := agreements(store, last.Key.Suite, closeScores)
	if len(pairs) == 0 || err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("%d pairs, error %v, expected some and one that names %s", len(pairs), err, file)
	}
}

// TestEpochsOfOthers: a dataset that cannot be loaded is reported once, and the
// other trials are measured.
func TestEpochsOfOthers(t *testing.T) {
	_, trials := suiteOf(t, "full", "training")
	trials = trials[:1]
	other := trials[0]
	other.Dataset = "missing"
	trials = []specs.Trial{other, other, trials[0], trials[0]}
	var loads []string
	load := func(name, _ string) (*datasets.Loaded, error) {
		if loads = append(loads, name); name == "missing" {
			return nil, errors.New("no such file")
		}
		return &datasets.Loaded{}, nil
	}
	measured := 0
	err := eachTrial(trials, load, func(specs.Trial, *harness.Cutter) error { measured++; return nil })
	if want := "missing: no such file"; err == nil || err.Error() != want {
		t.Errorf("error %v, expected %s", err, want)
	}
	if want := []string{"missing", trials[2].Dataset}; measured != 2 || !slices.Equal(loads, want) {
		t.Errorf("%d trials measured with the datasets %v, expected 2 with %v", measured, loads, want)
	}
}

// TestCounts: a few may differ by a few between devices.
func TestCounts(t *testing.T) {
	q := question{events: 100}
	of := func(first int32) []int32 { return append([]int32{first}, make([]int32, 199)...) }
	for apart, agrees := range map[int32]bool{0: true, 2: true, -2: true, 3: false} {
		if err := q.agree(of(7), of(7+apart)); (err == nil) != agrees {
			t.Errorf("%d apart: %v", apart, err)
		}
	}
	many := of(0)
	many[101], many[102] = 1, 1
	if err := q.agree(of(1), many); err == nil {
		t.Error("3 of 100 events differ")
	}
}

func TestSanitizerIsUnderstood(t *testing.T) {
	const race = "========= COMPUTE-SANITIZER\n========= Error: Race reported between Write access at add+0x1\n"
	tests := map[string]struct {
		out     string
		err     error
		stopped bool
		want    string
	}{
		"clean":            {out: "========= ERROR SUMMARY: 0 errors\n"},
		"found":            {out: race, err: errors.New("exit status 86"), want: "mistakes were found: Error: Race reported"},
		"found in time":    {out: race, stopped: true, want: "mistakes were found"},
		"too slow":         {out: "========= COMPUTE-SANITIZER\n", stopped: true, want: "skipped: nothing found so far"},
		"the tests failed": {err: errors.New("exit status 1"), want: "exit status 1"},
		"no library": {
			out: "========= COMPUTE-SANITIZER\n========= Unable to find injection library x.so\n",
			err: errors.New("exit status 13"), want: "skipped: compute-sanitizer: Unable to find injection library x.so",
		},
		"no card": {
			out: "========= Error: Target application terminated before first instrumented API call\n",
			err: errors.New("exit status 1"), want: "exit status 1\n========= Error: Target application terminated",
		},
	}
	for name, test := range tests {
		err := sanitizerError([]byte(test.out), test.err, test.stopped)
		if got := fmt.Sprint(err); (err != nil) != (test.want != "") || err != nil && !strings.HasPrefix(got, test.want) {
			t.Errorf("%s: %v, expected %q", name, err, test.want)
		}
	}
}

func TestFileName(t *testing.T) {
	if got := fileName("NVIDIA H200 (80GB), CUDA 12.4"); got != "nvidia-h200-80gb" {
		t.Error(got)
	}
}
