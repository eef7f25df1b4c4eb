package specs_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"dgsbench/specs"
)

// liveTests lists what bench live measures of a suite: place, model, seed and what the
// protocol says beside how the model is loaded.
func liveTests(t *testing.T, suite string) (list []string) {
	t.Helper()
	tests, err := toyLibrary(t).LiveTrials(suiteOf(t, suite))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range tests {
		if p := test.Protocol.Live; p == nil || test.Case != "live" {
			t.Fatalf("%s, case %q: %+v", test.Ref(), test.Case, p)
		}
		p := test.Protocol
		list = append(list, fmt.Sprintf("%s %s seed %d batch %d delay %d rates %v", strings.TrimSpace(fmt.Sprint(test.Dataset, " ", test.Task, " ", test.Setting)), test.Ref(), test.Seed, p.Batch, p.LabelDelay, p.Live.Rates))
	}
	return list
}

// TestLiveTrials: a suite's own live tests, or one of each model and place that can be
// loaded, with the null model first, trained as the suite says.
func TestLiveTrials(t *testing.T) {
	for suite, want := range map[string][]string{
		`
seeds: 3
runs:
  - {task: nc, datasets: [amlsim-20k], models: [toy], protocol: {label_delay: 60}}
  - {task: nc, datasets: [amlsim-20k], models: ["null", toy+wide], protocol: {label_delay: 30, live: {rates: [70]}}}
  - {task: nc, datasets: [amlsim-20k], models: [raw], protocol: {latency: {}}}`: {
			"amlsim-20k nc null seed 0 batch 200 delay 30 rates [70]",
			"amlsim-20k nc toy+wide seed 0 batch 200 delay 30 rates [70]",
		},
		`
seeds: 3
runs:
  - {task: nc, datasets: [amlsim-20k], models: [toy, toy+wide], protocol: {batch: 20, label_delay: 60}}
  - {task: nc, datasets: [amlsim-20k], models: [label-rate, toy], batches: [10, 30]}
  - {task: nc, datasets: [amlsim-20k], models: [toy+steep], protocol: {within_batch: t_batch}}
  - {task: nc, datasets: [amlsim-20k], models: [raw], protocol: {latency: {}}}
  - {task: lp, settings: [I, T], datasets: [wikipedia-nofeat, collegemsg], models: [toy-rule]}`: {
			"amlsim-20k nc null seed 0 batch 20 delay 60 rates [1000 10000 100000]",
			"amlsim-20k nc toy seed 0 batch 20 delay 60 rates [1000 10000 100000]",
			"amlsim-20k nc toy+wide seed 0 batch 20 delay 60 rates [1000 10000 100000]",
			"amlsim-20k nc label-rate seed 0 batch 10 delay 0 rates [1000 10000 100000]",
			"wikipedia-nofeat lp T null seed 0 batch 200 delay 0 rates [1000 10000 100000]",
			"wikipedia-nofeat lp T toy-rule seed 0 batch 200 delay 0 rates [1000 10000 100000]",
			"collegemsg lp T null seed 0 batch 200 delay 0 rates [1000 10000 100000]",
			"collegemsg lp T toy-rule seed 0 batch 200 delay 0 rates [1000 10000 100000]",
		},
	} {
		got := liveTests(t, "name: one\ntitle: One"+suite)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", suite, diff)
		}
	}
}

// TestNothingToLoad: one message where no trial can be loaded.
func TestNothingToLoad(t *testing.T) {
	for _, run := range []string{
		"task: lp, settings: [I], datasets: [collegemsg], models: [toy]",
		"task: nc, datasets: [amlsim-20k], models: [toy], protocol: {within_batch: t_batch}",
		"task: nc, datasets: [amlsim-20k], models: [toy], protocol: {latency: {}}",
	} {
		_, err := toyLibrary(t).LiveTrials(suiteOf(t, fmt.Sprintf("name: one\ntitle: One\nruns: [{%s}]\n", run)))
		const want = "suite one has nothing that live tests can load: expected trials with settings: [T] and within_batch: last_write among those chosen"
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, expected %s", run, err, want)
		}
	}
}

// TestNullModelStays: who asks for some models of a live test gets the null model
// beside them, and nobody else does.
func TestNullModelStays(t *testing.T) {
	lib := toyLibrary(t)
	suite, err := lib.LoadSuite("quick")
	if err != nil {
		t.Fatal(err)
	}
	for model, want := range map[string]int{"dgs": 1, "null": 1, "edgebank": 0, "user-age": 0} {
		trials, err := suite.Trials(specs.Filter{Models: []string{model}})
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, trial := range trials {
			if trial.ModelID == "null" {
				found++
			} else if trial.ModelID != model {
				t.Errorf("--models %s: %s", model, trial.Ref())
			}
		}
		if found != want {
			t.Errorf("--models %s: %d null models, expected %d", model, found, want)
		}
	}
}

// TestKeepsModel: one seed of a cell keeps its model for a live test that differs in nothing
// but the load, whatever the filter.
func TestKeepsModel(t *testing.T) {
	suite, err := toyLibrary(t).LoadSuite("quick")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		filter specs.Filter
		want   string
	}{
		{specs.Filter{Models: []string{"dgs"}}, "nc shop-sim dgs 0"},
		{specs.Filter{Models: []string{"raw", "label-rate"}, FirstSeed: 7, Epochs: 2}, "nc shop-sim raw 7"},
		{specs.Filter{Models: []string{"dgs-v", "label-rate"}}, ""},
		{specs.Filter{Models: []string{"dgs"}, Tasks: []string{"lp"}}, ""},
	} {
		trials, err := suite.Trials(c.filter)
		if err != nil {
			t.Fatal(err)
		}
		var kept []string
		for _, trial := range trials {
			if trial.KeepsModel {
				kept = append(kept, strings.TrimSpace(fmt.Sprint(trial.Task, " ", trial.Dataset, " ", trial.Ref(), " ", trial.Seed, " ", trial.Case)))
			}
		}
		if got := strings.Join(kept, ", "); got != c.want {
			t.Errorf("%+v: %q keep models, expected %q", c.filter, got, c.want)
		}
	}
}

// TestOwnNullModel: a null model of a user's joins live tests, and nothing else.
func TestOwnNullModel(t *testing.T) {
	lib := toyLibrary(t)
	if _, err := lib.AddFile(writeSpec(t, t.TempDir(), "own.yaml", "id: own\nmodel: \"null\"\ntitle: Own\n")); err != nil {
		t.Fatal(err)
	}
	suite, err := lib.LoadSuite("quick")
	if err != nil {
		t.Fatal(err)
	}
	trials, err := suite.Trials(specs.Filter{Models: []string{"own"}})
	if err != nil || len(trials) != 2 || !trials[0].IsLive() || !trials[1].IsLive() {
		t.Errorf("%v, %d trials", err, len(trials))
	}
}

// TestLimits are in any order, and searched for where points have enough answers.
func TestLimits(t *testing.T) {
	l := specs.Live{Limits: []string{"500us", "1s", "10ms"}, Answers: 10_000}
	want := []time.Duration{time.Second, 10 * time.Millisecond, 500 * time.Microsecond}
	if diff := cmp.Diff(want, l.LimitTimes()); diff != "" {
		t.Error(diff)
	}
	for _, c := range []struct {
		limits  []string
		answers int
		want    bool
	}{{l.Limits, 10_000, true}, {l.Limits, 9_999, false}, {nil, 10_000, false}} {
		if got := (specs.Live{Limits: c.limits, Answers: c.answers}).Searches(); got != c.want {
			t.Errorf("%v, %d answers: %v, expected %v", c.limits, c.answers, got, c.want)
		}
	}
}
