package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/protocol"
	"dgsbench/results/record"
	"dgsbench/specs"

	"github.com/google/go-cmp/cmp"
)

// kindOf is a registered kind of that name.
func kindOf(name string) models.Kind {
	k, err := models.Lookup(name)
	if err != nil {
		panic(err)
	}
	return k
}

// toyEvents are enough for several batches in every part.
const toyEvents = 600

// broken is a model for tests that fails at a given event of the test part.
type broken struct{ models.Model }

func (b broken) Classify(s datasets.Stream, logits []float32) error {
	for k := range logits {
		if logits[k] = float32(k % 7); s.EventID(k) == toyEvents-5 {
			return &models.BadScore{Event: s.EventID(k), Score: math.NaN()}
		}
	}
	return nil
}

func (broken) Observe(datasets.Stream) error { return nil }

func (broken) Snapshot(models.Part) models.Snapshot { return models.Snapshot{} }

func (broken) Learn(datasets.Stream, []int8) error { return nil }

func (broken) Reset()         {}
func (broken) NumParams() int { return 0 }

type noOptions struct{}

func (*noOptions) Validate() error { return nil }

var registerOnce sync.Once

// toySuite registers a simulated dataset and a broken model, and resolves a
// suite on them.
func toySuite(t *testing.T) []specs.Trial {
	t.Helper()
	return toyTrials(t, `
  - {task: nc, datasets: [toy], models: [user-count, raw, graph-sprints, broken]}
  - {task: lp, settings: [T, I], datasets: [toy], models: [recency, graph-sprints]}
`)
}

func toyTrials(t *testing.T, runs string) []specs.Trial {
	t.Helper()
	registerOnce.Do(func() {
		datasets.Register(datasets.Dataset{
			Name: "toy", Title: "toy, simulated", Open: openToy,
			Split: datasets.ByRow(.6, .8), HeldOut: datasets.SampleHeldOut(1), Labelled: true,
		})
		models.Register(models.Kind{
			Name: "broken", Class: protocol.ZeroParameter, Tasks: []protocol.Task{protocol.NodeClassification},
			Options: func() models.Options { return &noOptions{} },
			New:     func(models.Setup, models.Options) (models.Model, error) { return broken{}, nil },
		})
	})
	lib, err := specs.NewLibrary("")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"broken.yaml": "id: broken\nmodel: broken\ntitle: Broken\n",
		"suite.yaml": `name: toy
title: toy
protocol: {batch: 20, epochs: 3}
seeds: 3
runs:` + runs,
	} {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := lib.AddFile(file); err != nil {
			t.Fatal(err)
		}
	}
	suite, err := lib.LoadSuite("toy")
	if err != nil {
		t.Fatal(err)
	}
	trials, err := suite.Trials(specs.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	return trials
}

func openToy(string) (datasets.Stream, string, error) {
	const users, items, f = 30, 8, 3
	rng := rand.New(rand.NewPCG(1, 1))
	s := datasets.Stream{NumNodes: users + items, Users: users, NumFeat: f}
	for k := range toyEvents {
		s.Src, s.Dst = append(s.Src, int32(rng.IntN(users))), append(s.Dst, int32(users+rng.IntN(items)))
		s.Time, s.Label = append(s.Time, float64(k)), append(s.Label, int8(rng.IntN(2)))
		for range f {
			s.Feat = append(s.Feat, float32(rng.NormFloat64()))
		}
	}
	return s, strings.Repeat("0", 64), nil
}

// load reads the records without what differs from run to run.
func load(t *testing.T, dir string) []record.Record {
	t.Helper()
	records, incomplete, err := record.Store{Dir: dir}.Load("")
	if err != nil || len(incomplete) > 0 {
		t.Fatal(err, incomplete)
	}
	for i := range records {
		r := &records[i]
		r.Durations.Train, r.Durations.Test, r.Durations.Total, r.Threads = 0, 0, 0, 0
		for e := range r.Epochs {
			r.Epochs[e].Seconds, r.Epochs[e].Training = 0, 0
		}
	}
	return records
}

// TestWorkersDoNotMatter: records and sidecars (their checksums stand in the
// records) are the same whatever runs beside them.
func TestWorkersDoNotMatter(t *testing.T) {
	trials := toySuite(t)
	var all [2][]record.Record
	for i, workers := range []int{1, 4} {
		dir := t.TempDir()
		r := Runner{Store: record.Store{Dir: dir}, Workers: workers}
		sum, err := r.Run(context.Background(), trials)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(Summary{Finished: len(trials) - 1, Failed: 1}, sum); diff != "" {
			t.Errorf("%d workers (-want +got):\n%s", workers, diff)
		}
		all[i] = load(t, dir)
	}
	if diff := cmp.Diff(all[0], all[1], cmp.AllowUnexported(record.Record{})); diff != "" {
		t.Errorf("1 worker (-) and 4 (+):\n%s", diff)
	}
}

// TestFailedTrial: it says which model and event, and stops nobody else.
func TestFailedTrial(t *testing.T) {
	dir := t.TempDir()
	r := Runner{Store: record.Store{Dir: dir}}
	if _, err := r.Run(context.Background(), toySuite(t)); err != nil {
		t.Fatal(err)
	}
	failed := 0
	for _, rec := range load(t, dir) {
		if rec.Failed() {
			failed++
			if want := "broken: score of event 595 is NaN"; rec.Error != want {
				t.Errorf("error %q, expected %q", rec.Error, want)
			}
		}
	}
	if failed != 1 {
		t.Errorf("%d failed records, expected 1", failed)
	}
}

// TestResume: a cancelled run keeps what was finished, and the next one does
// the rest and nothing twice.
func TestResume(t *testing.T) {
	trials, dir := toySuite(t), t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	r := Runner{Store: record.Store{Dir: dir}, Workers: 2, Hooks: Hooks{Done: func(record.Record) { cancel() }}}
	first, err := r.Run(ctx, trials)
	if !Interrupted(err) || first.Finished+first.Failed == 0 || first.Left == 0 {
		t.Fatalf("cancelled run: %+v, %v", first, err)
	}
	var shares []float64
	r.Hooks = Hooks{Progress: func(s float64) { shares = append(shares, s) }}
	second, err := r.Run(context.Background(), trials)
	if err != nil {
		t.Fatal(err)
	}
	if second.Found != first.Finished || second.Finished+second.Failed != first.Left+first.Failed {
		t.Errorf("first %+v, second %+v", first, second)
	}
	if last := shares[len(shares)-1]; math.Abs(last-1) > 1e-9 {
		t.Errorf("progress ends at %v", last)
	}
	whole := t.TempDir()
	r = Runner{Store: record.Store{Dir: whole}}
	if _, err := r.Run(context.Background(), trials); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(load(t, whole), load(t, dir), cmp.AllowUnexported(record.Record{})); diff != "" {
		t.Errorf("in one go (-), resumed (+):\n%s", diff)
	}
}

// TestResultsThatCannotBeWritten stop the run.
func TestResultsThatCannotBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	r := Runner{Store: record.Store{Dir: filepath.Join(file, "below")}}
	_, err := r.Run(context.Background(), toySuite(t)[:1])
	if err == nil {
		t.Fatal("no error")
	}
	var store *StoreError
	if !errors.As(err, &store) && !errors.Is(err, os.ErrNotExist) && !strings.Contains(err.Error(), "not a directory") {
		t.Errorf("error %v", err)
	}
}

// TestCheckpoints: the file beside a record holds its spec, parameters and
// state.
func TestCheckpoints(t *testing.T) {
	trials, dir := toySuite(t), t.TempDir()
	r := Runner{Store: record.Store{Dir: dir}, Checkpoints: true}
	if _, err := r.Run(context.Background(), trials[:7]); err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, rec := range load(t, dir) {
		if rec.Key.Model != "graph-sprints" {
			continue
		}
		checked++
		snapshot, metadata, err := models.ReadCheckpoint(checkpointPath(r.Store, rec))
		if err != nil {
			t.Fatal(err)
		}
		var spec, want bytes.Buffer
		if json.Compact(&spec, []byte(metadata[models.SpecKey])) != nil || json.Compact(&want, rec.Spec) != nil || spec.String() != want.String() {
			t.Errorf("spec %s, expected %s", spec.String(), want.String())
		}
		if len(snapshot.Params) != 4 || len(snapshot.State) != 1 {
			t.Errorf("%d parameter tensors and %d of state, expected 4 and 1", len(snapshot.Params), len(snapshot.State))
		}
	}
	if checked != 3 {
		t.Errorf("%d checkpoints of Graph-Sprints, expected 3", checked)
	}
}

// removing deletes the model's records whenever a record is written, at most
// the given number of times.
func removing(t *testing.T, dir, model string, times int) Hooks {
	return Hooks{Done: func(record.Record) {
		files, err := filepath.Glob(filepath.Join(dir, "toy", "toy", "nc", model, "*.json"))
		if err != nil {
			t.Error(err)
		}
		for _, file := range files {
			if times > 0 && os.Remove(file) == nil {
				times--
			}
		}
	}}
}

// TestVanishedRecords: records that are removed while a suite runs are
// measured again, and those that go again fail the run.
func TestVanishedRecords(t *testing.T) {
	trials := toySuite(t)
	for _, workers := range []int{1, 3} {
		dir := t.TempDir()
		r := Runner{Store: record.Store{Dir: dir}, Workers: workers, Hooks: removing(t, dir, "raw", 2)}
		var again []string
		r.Hooks.Remeasure = func(n int, why string) { again = append(again, fmt.Sprint(n, " ", why)) }
		sum, err := r.Run(context.Background(), trials)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(Summary{Finished: len(trials) - 1, Failed: 1}, sum); diff != "" {
			t.Errorf("%d workers (-want +got):\n%s", workers, diff)
		}
		if diff := cmp.Diff([]string{"2 their records have disappeared since they were written"}, again); diff != "" {
			t.Error(diff)
		}
		if got := len(load(t, dir)); got != len(trials) {
			t.Errorf("%d records, expected %d", got, len(trials))
		}
	}
	dir := t.TempDir()
	r := Runner{Store: record.Store{Dir: dir}, Hooks: removing(t, dir, "raw", 1000)}
	sum, err := r.Run(context.Background(), trials)
	var store *StoreError
	if !errors.As(err, &store) || !strings.Contains(err.Error(), "records have disappeared since they were written, the first of them "+dir) || sum.Left == 0 || sum.Left > 3 {
		t.Errorf("records that always go: %+v, %v", sum, err)
	}
}

// TestFoundRecordsVanish: also of trials that an earlier run has measured, and
// sidecars.
func TestFoundRecordsVanish(t *testing.T) {
	trials, dir := toySuite(t), t.TempDir()
	r := Runner{Store: record.Store{Dir: dir}}
	if _, err := r.Run(context.Background(), trials[:4]); err != nil {
		t.Fatal(err)
	}
	removed := false
	r.Hooks.Done = func(record.Record) {
		files, err := filepath.Glob(filepath.Join(dir, "toy", "toy", "nc", "raw", "seed-0-*.npz"))
		if err != nil || len(files) != 1 || removed {
			return
		}
		if err := os.Remove(files[0]); err != nil {
			t.Error(err)
		}
		removed = true
	}
	sum, err := r.Run(context.Background(), trials)
	if diff := cmp.Diff(Summary{Found: 3, Finished: len(trials) - 4, Failed: 1}, sum); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if got := len(load(t, dir)); got != len(trials) {
		t.Errorf("%d records, expected %d", got, len(trials))
	}
}

// TestCheckpointsOfMeasuredTrials: a trial with a record and no whole
// checkpoint is measured again, one that failed is not.
func TestCheckpointsOfMeasuredTrials(t *testing.T) {
	trials, dir := toySuite(t), t.TempDir()
	plain := Runner{Store: record.Store{Dir: dir}}
	if _, err := plain.Run(context.Background(), trials); err != nil {
		t.Fatal(err)
	}
	before := load(t, dir)
	keeping := Runner{Store: record.Store{Dir: dir}, Checkpoints: true}
	again := 0
	keeping.Hooks.Remeasure = func(n int, why string) {
		if again += n; why != "they have a record and not all files that belong to it" {
			t.Error(why)
		}
	}
	sum, err := keeping.Run(context.Background(), trials)
	if err != nil || sum.Finished != len(trials)-1 || len(sum.FailedBefore) != 1 || again != len(trials)-1 {
		t.Fatalf("%+v, %d again, %v", sum, again, err)
	}
	if diff := cmp.Diff(before, load(t, dir), cmp.AllowUnexported(record.Record{})); diff != "" {
		t.Errorf("before (-), with checkpoints (+):\n%s", diff)
	}
	damaged := ""
	for _, rec := range before {
		if rec.Failed() {
			continue
		}
		damaged = checkpointPath(keeping.Store, rec)
		if _, _, err := models.ReadCheckpoint(damaged); err != nil {
			t.Error(err)
		}
	}
	if err := os.Truncate(damaged, 100); err != nil {
		t.Fatal(err)
	}
	if sum, err := keeping.Run(context.Background(), trials); err != nil || sum.Finished != 1 {
		t.Errorf("a damaged one: %+v, %v", sum, err)
	}
	if err := errors.Join(os.Remove(damaged), os.Mkdir(damaged, 0o755)); err != nil {
		t.Fatal(err)
	}
	if _, err := keeping.Run(context.Background(), trials); err == nil || !strings.Contains(err.Error(), damaged+" is a folder: expected a regular file") {
		t.Errorf("a folder in its place: %v", err)
	}
	if sum, err := plain.Run(context.Background(), trials); err != nil || sum.Finished != 0 {
		t.Errorf("none asked for: %+v, %v", sum, err)
	}
}
