package plan_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dgsbench/harness/plan"
	"dgsbench/harness/tune"
	"dgsbench/internal/golden"
	"dgsbench/protocol"
	"dgsbench/results/record"
	"dgsbench/specs"

	"github.com/google/go-cmp/cmp"
)

// study is a search on a dataset without early stopping.
func study(t *testing.T, model, dataset string, trials int) tune.Study {
	t.Helper()
	lib, err := specs.NewLibrary("")
	if err != nil {
		t.Fatal(err)
	}
	m, err := lib.LoadModel(model)
	if err != nil {
		t.Fatal(err)
	}
	p := specs.DefaultProtocol()
	p.Batch, p.Epochs, p.Patience = 20, 3, 0
	s, err := tune.NewStudy(m, specs.Place{Dataset: dataset, Task: protocol.NodeClassification}, p, trials, trials, 0)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// tuningPlanned makes the plan and checks that everything estimated is
// reported once.
func tuningPlanned(t *testing.T, out string, studies ...tune.Study) plan.Tuning {
	t.Helper()
	tries, steps := 0, 0
	q := plan.Question{Studies: studies, Store: record.Store{Dir: out}, DataDir: t.TempDir(), Workers: 1}
	p, err := plan.MakeTuning(context.Background(), q, plan.Hooks{Start: func(n int) { tries = n }, Step: func() { steps++ }})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Searches) != len(studies) || steps != tries {
		t.Errorf("%d of %d searches, %d trials announced, %d reported", len(p.Searches), len(studies), tries, steps)
	}
	return p
}

// silentSearch are hooks that do nothing.
var silentSearch = tune.Hooks{Start: func(int, int) {}, Progress: func(float64) {}, Done: func(tune.Study, tune.Line) {}}

// TestTuningPlanThenTune: what is estimated takes about as long as the search
// does, and the searches that are gone on with take their time from their
// trials. Others on the machine make trials longer, so the factor is generous.
func TestTuningPlanThenTune(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	before := tuningPlanned(t, out, study(t, "raw", "toy", 6), study(t, "dgs", "toy", 6))
	for _, s := range before.Searches {
		if s.Source != plan.Estimated || s.Counted != 3 || s.Left != 7 || s.Memory <= 0 || s.Each.Least <= 0 || s.Each.Least > s.Each.Mean || s.Each.Mean > s.Each.Most {
			t.Errorf("%+v", s)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a plan has written something")
	}
	histories, _, err := (&tune.Tuner{Out: out, Workers: 1, Hooks: silentSearch}).Run(context.Background(), []tune.Study{study(t, "raw", "toy", 6), study(t, "dgs", "toy", 6)})
	if err != nil {
		t.Fatal(err)
	}
	took := 0.0
	for _, h := range histories {
		for _, l := range h.Lines {
			took += l.Seconds
		}
	}
	if said := before.Seconds.Mean; said > 10*took || took > 10*said {
		t.Errorf("%v s were planned, it took %v s", said, took)
	}
	after := tuningPlanned(t, out, study(t, "raw", "toy", 6), study(t, "dgs", "toy", 9))
	if done := after.Searches[0]; done.Source != plan.Measured || done.Found != 7 || done.Left != 0 || done.Seconds != 0 {
		t.Errorf("a search that is over: %+v", done)
	}
	sum := 0.0
	for _, l := range histories[1].Lines[1:] { // without the model's own options
		sum += l.Seconds / 6
	}
	if s := after.Searches[1]; s.Source != plan.Past || s.Counted != 6 || s.Left != 3 || !near(s.Each.Mean, sum) || !near(after.Seconds.Mean, 3*sum) {
		t.Errorf("three more of %v s each: %+v, in all %+v", sum, s, after.Seconds)
	}
}

func near(a, b float64) bool { return a > .999*b && a < 1.001*b }

// TestTuningPlanFewPast: two trials say less than three that are estimated.
func TestTuningPlanFewPast(t *testing.T) {
	out := t.TempDir()
	if _, _, err := (&tune.Tuner{Out: out, Workers: 1, Hooks: silentSearch}).Run(context.Background(), []tune.Study{study(t, "raw", "toy", 2)}); err != nil {
		t.Fatal(err)
	}
	s := tuningPlanned(t, out, study(t, "raw", "toy", 5)).Searches[0]
	if s.Source != plan.Estimated || s.Found != 3 || s.Left != 3 || s.Counted != 3 {
		t.Errorf("%+v", s)
	}
}

// TestTuningPlanMissingData: a stream of the same size stands in.
func TestTuningPlanMissingData(t *testing.T) {
	p := tuningPlanned(t, t.TempDir(), study(t, "raw", "absent", 2))
	if s := p.Searches[0]; s.Source != plan.StoodIn || s.Counted != 2 || len(p.Missing) != 1 {
		t.Errorf("%+v, missing %+v", s, p.Missing)
	}
}

// fixedTuning is a plan with all that can be in one.
func fixedTuning() plan.Tuning {
	search := func(model string, found, left int, source plan.Source, more plan.Search) plan.Search {
		more.Model, more.Dataset, more.Task, more.Parameters = model, "shop-sim", "nc", []string{"head.lr", "head.hidden.item"}
		more.Trials, more.Random, more.Epochs, more.Found, more.Left, more.Source = 20, 14, 50, found, left, source
		return more
	}
	tried := search("dgs", 0, 21, plan.Estimated, plan.Search{Each: plan.Span{Mean: 12.34, Least: 5, Most: 105.6}, Seconds: 259.14, Counted: 3, Memory: 47_000_000})
	tried.Task, tried.Setting = "lp", "T"
	return plan.Tuning{
		Machine: "a machine, 2 cores", Workers: 2, Trials: 84, ToDo: 53,
		Searches: []plan.Search{
			tried,
			search("raw", 10, 11, plan.Past, plan.Search{Each: plan.Span{Mean: .5, Least: .25, Most: 1}, Seconds: 5.5, Counted: 9}),
			search("jodie", 21, 0, plan.Measured, plan.Search{}),
			search("vast", 0, 21, plan.Unplanned, plan.Search{Memory: 99_000_000_000, Problem: "needs more memory than is free"}),
		},
		Seconds: plan.Span{Mean: 132.3, Least: 54, Most: 1115}, Memory: 99_100_000_000, Free: 24_000_000_000, Known: true,
		Missing: []plan.Missing{{Dataset: "wikipedia", How: "dataset wikipedia: no file wikipedia.csv in /data; `bench data fetch wikipedia` downloads it"}},
	}
}

func TestWriteTuning(t *testing.T) {
	var text, js bytes.Buffer
	if err := fixedTuning().WriteText(&text); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, filepath.Join("testdata", "tuning.txt"), text.String())
	if err := encode(&js, fixedTuning()); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, filepath.Join("testdata", "tuning.json"), js.String())
	var back plan.Tuning
	if err := json.Unmarshal(js.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(fixedTuning(), back); diff != "" {
		t.Errorf("JSON does not hold the plan (-want +got):\n%s", diff)
	}
	if s, found := fixedTuning().TooLarge(); !found || s.Model != "vast" {
		t.Errorf("too large: %v, %+v", found, s)
	}
	over := plan.Tuning{Trials: 21, Searches: fixedTuning().Searches[2:3]}
	text.Reset()
	if err := over.WriteText(&text); err != nil || !strings.Contains(text.String(), "21 trials, 0 to do: nothing is left\n") {
		t.Errorf("%v\n%s", err, text.String())
	}
}
