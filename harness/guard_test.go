package harness

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/kernels/devices"
	"dgsbench/models"
	"dgsbench/protocol"
	"dgsbench/results/record"
	"dgsbench/specs"

	"github.com/google/go-cmp/cmp"
)

// faulty is a model that does something wrong and reports no error.
type faulty struct {
	broken
	classify func(scores []float32)
	loss     float64
}

func (f faulty) Classify(_ datasets.Stream, scores []float32) error {
	for k := range scores {
		scores[k] = float32(k % 7)
	}
	f.classify(scores)
	return nil
}

func (f faulty) Train(datasets.Stream, []int32) (float64, error) { return f.loss, nil }

func (faulty) Rank(_ datasets.Stream, _ models.Candidates, out models.Counts) error {
	out.Greater[0] = -1
	return nil
}

func init() {
	for name, f := range map[string]faulty{
		"infinite":  {classify: func(s []float32) { s[1] = float32(math.Inf(-1)) }},
		"panicking": {classify: func(s []float32) { s[len(s)] = 1 }},
		"lossless":  {classify: func([]float32) {}, loss: math.NaN()},
	} {
		models.Register(models.Kind{
			Name: name, Tasks: []protocol.Task{protocol.NodeClassification, protocol.LinkPrediction},
			Options: func() models.Options { return &noOptions{} },
			New:     func(models.Setup, models.Options) (models.Model, error) { return f, nil },
		})
	}
	d := datasets.Dataset{
		Name: "overflowing", Title: "overflowing", Features: []datasets.Derived{datasets.Log1p(0)}, Labelled: true,
		Split: datasets.ByRow(.6, .8), HeldOut: datasets.SampleHeldOut(1),
	}
	d.Open = func(dir string) (datasets.Stream, string, error) {
		s, sum, err := openToy(dir)
		s.Feat[0] = -1
		return s, sum, err
	}
	datasets.Register(d)
}

// faultyTrials are those of the faulty models and of data that cannot be
// derived, with what their records say, between trials that succeed.
func faultyTrials(t *testing.T) (trials []specs.Trial, want map[string]string) {
	toySuite(t)
	good := suiteTrials(t, "name: faulty\ntitle: faulty\nseeds: 2\nruns:\n  - {task: nc, datasets: [toy], models: [raw]}\n  - {task: lp, settings: [T], datasets: [toy], models: [recency]}\n")
	bad := func(from specs.Trial, model string, class protocol.Class) specs.Trial {
		from.ModelID, from.Kind, from.Options = model, kindOf(model), &noOptions{}
		from.Kind.Class = class
		return from
	}
	derived := good[0]
	derived.Dataset = "overflowing"
	trials = append([]specs.Trial{
		bad(good[0], "infinite", protocol.ZeroParameter), bad(good[0], "panicking", protocol.ZeroParameter),
		bad(good[0], "lossless", protocol.Learned), bad(good[2], "infinite", protocol.ZeroParameter), derived,
	}, good...)
	return trials, map[string]string{
		"toy/nc/infinite":    "infinite: score of event 361 is -Inf",
		"toy/nc/panicking":   "panicking: panic in harness.init.",
		"toy/nc/lossless":    "lossless: epoch 1: training loss of events 0 to 199 is NaN",
		"toy/lp/infinite":    "infinite: ranks of validation among all_nodes: entry 0: counts -1 and 0, expected none below 0",
		"overflowing/nc/raw": "raw: dataset overflowing: event 0: log1p of feature 1 is not finite",
	}
}

// TestFaultsFailTheirTrial: whatever is wrong with one trial's model or data,
// its record says so, the others are measured, and the same command later
// measures nothing again and reports what failed before.
func TestFaultsFailTheirTrial(t *testing.T) {
	trials, want := faultyTrials(t)
	dir := t.TempDir()
	r := Runner{Store: record.Store{Dir: dir}}
	sum, err := r.Run(context.Background(), trials)
	if diff := cmp.Diff(Summary{Finished: len(trials) - len(want), Failed: len(want)}, sum); err != nil || diff != "" {
		t.Fatalf("%v (-want +got):\n%s", err, diff)
	}
	before := load(t, dir)
	for _, rec := range before {
		cell := strings.Join([]string{rec.Key.Dataset, string(rec.Key.Task), rec.Key.Model}, "/")
		if message, fails := want[cell]; rec.Failed() != (fails && rec.Key.Seed == 0) || !strings.HasPrefix(rec.Error, message) && rec.Failed() {
			t.Errorf("%s: %q, expected %q", rec.Key, rec.Error, message)
		}
	}
	if sum, err = r.Run(context.Background(), trials); err != nil || sum.Found != len(trials)-len(want) || len(sum.FailedBefore) != len(want) || sum.Finished > 0 {
		t.Errorf("again: %+v, %v", sum, err)
	}
	if diff := cmp.Diff(before, load(t, dir), cmp.AllowUnexported(record.Record{})); diff != "" {
		t.Errorf("records after the first run (-) and the second (+):\n%s", diff)
	}
}

// TestFaultsFailTheirValidation: the same in a search.
func TestFaultsFailTheirValidation(t *testing.T) {
	trials, _ := faultyTrials(t)
	lab, err := NewLab(record.Store{Dir: t.TempDir()}, "", devices.Target{}, 1, trials)
	if err != nil {
		t.Fatal(err)
	}
	for _, trial := range trials {
		rec, err := lab.Validate(context.Background(), trial, func(float64) {})
		wantFailure := trial.Kind.Trainable() && (trial.Kind.Name == "lossless" || trial.Dataset == "overflowing")
		if err != nil || rec.Failed() != wantFailure {
			t.Errorf("%s on %s: %q, %v; expected a failure: %v", trial.Ref(), trial.Dataset, rec.Error, err, wantFailure)
		}
	}
}

// TestGuard: errors and failures of devices are left as they are, and a panic
// says where it was.
func TestGuard(t *testing.T) {
	wrong := errors.New("wrong")
	if err := Guard(func() error { return wrong }); err != wrong {
		t.Errorf("%v, expected the function's error", err)
	}
	var none *int
	if err := Guard(func() error { *none = 1; return nil }); err == nil || !strings.Contains(err.Error(), "guard_test.go:") || !strings.Contains(err.Error(), "nil pointer") {
		t.Errorf("%v, expected the place and the cause", err)
	}
	device := &kernels.Failure{Err: wrong}
	err := func() (err error) {
		defer kernels.CatchFailure(&err)
		return Guard(func() error { panic(device) })
	}()
	if err != device {
		t.Errorf("%v, expected the device's failure", err)
	}
}
