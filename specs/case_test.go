package specs_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dgsbench/specs"
)

// suiteOf resolves a suite that stands in a file of its own.
func suiteOf(t *testing.T, text string) []specs.Trial {
	t.Helper()
	lib := toyLibrary(t)
	file := filepath.Join(t.TempDir(), "suite.yaml")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	entry, err := lib.AddFile(file)
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
	return trials
}

// A suite may hold a model at one place under several protocols: with
// several batch sizes, and as a latency test, which has one seed.
func TestCases(t *testing.T) {
	trials := suiteOf(t, `name: cases
title: Cases
seeds: 2
protocol: {batch: 50}
runs:
  - {task: nc, datasets: [amlsim-20k], models: [toy]}
  - {task: nc, datasets: [amlsim-20k], models: [toy], batches: [1, 10]}
  - {task: nc, datasets: [amlsim-20k], models: [toy], protocol: {latency: {batches: 3}}}
`)
	type line struct {
		Case  string
		Batch int
		Seed  uint64
	}
	var got []line
	for _, trial := range trials {
		got = append(got, line{trial.Case, trial.Protocol.Batch, trial.Seed})
	}
	want := []line{{"", 50, 0}, {"", 50, 1}, {"batch-1", 1, 0}, {"batch-1", 1, 1}, {"batch-10", 10, 0}, {"batch-10", 10, 1}, {"latency", 50, 0}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	scored, timed := specs.Scored(trials), specs.LatencyTests(trials)
	if len(scored) != 6 || len(timed) != 1 || !slices.ContainsFunc(timed, specs.Trial.IsLatency) {
		t.Errorf("%d scored, %d timed", len(scored), len(timed))
	}
}

// A user's own model joins every case of a suite.
func TestOwnModelJoinsCases(t *testing.T) {
	lib := toyLibrary(t)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"own.yaml":   "id: own\nmodel: toy\ntitle: Own\n",
		"suite.yaml": "name: cases\ntitle: Cases\nruns: [{task: nc, datasets: [amlsim-20k], models: [toy], batches: [1, 10]}]\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := lib.AddFile(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	suite, err := lib.LoadSuite("cases")
	if err != nil {
		t.Fatal(err)
	}
	trials, err := suite.Trials(specs.Filter{Models: []string{"own"}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, trial := range trials {
		got = append(got, trial.Case)
	}
	if diff := cmp.Diff([]string{"batch-1", "batch-10"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
