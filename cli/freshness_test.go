package cli

import (
	"encoding/csv"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dgsbench/internal/lists"
)

const freshSuite = `name: toy
title: Toy
protocol: {batch: 20, evaluation_batch: [20, 1, 180], epochs: 2, candidates: [destinations]}
seeds: 2
runs:
  - {task: lp, settings: [T], datasets: [toy], models: [recency, graph-sprints]}
  - {task: nc, datasets: [toy], models: [user-count, raw]}
tables: {show: [freshness]}
`

// TestFreshness measures in batches of three sizes: a column each in ascending order, a
// case each in the CSV, one training, and the validation at the first size alone.
func TestFreshness(t *testing.T) {
	dir := workplace(t)
	write(t, filepath.Join(dir, "specs", "toy.yaml"), freshSuite)
	code, stdout, stderr := bench(all(dir, "out")...)
	if code != exitDone {
		t.Fatal(stderr)
	}
	for _, want := range []string{
		"Freshness, link prediction, test events (toy: Toy)",
		"AUC %, events in a batch",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
	if heads := lists.Map(strings.Split(stdout, "\n"), strings.Fields); !slices.ContainsFunc(heads, func(words []string) bool {
		return slices.Equal(words, []string{"dataset", "model¹", "seeds", "1", "20", "180"})
	}) {
		t.Errorf("sizes are not in order in\n%s", stdout)
	}
	summary, _, _ := strings.Cut(stdout, "Freshness")
	if summary = strings.Join(strings.Fields(summary), " "); strings.Count(summary, "toy, evaluation-20") != 4 || strings.Contains(summary, "evaluation-1,") {
		t.Errorf("the summary is not of the first size alone:\n%s", summary)
	}
	for _, name := range []string{"freshness-nc", "freshness-lp"} {
		for _, ending := range []string{".svg", ".png"} {
			read(t, dir, "out", "toy", name+ending)
		}
	}
	rows, err := csv.NewReader(strings.NewReader(read(t, dir, "out", "toy", "results.csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := func(row []string, name string) string { return row[slices.Index(rows[0], name)] }
	parts := map[string]bool{}
	for _, row := range rows[1:] {
		parts[column(row, "task")+" "+column(row, "split")+" "+column(row, "case")] = true
		if n := column(row, "n"); column(row, "model") == "raw" && n != "2" {
			t.Errorf("%s seeds of %v", n, row)
		}
	}
	var want []string
	for _, task := range []string{"lp", "nc"} {
		want = append(want, task+" test evaluation-1", task+" test evaluation-180", task+" test evaluation-20", task+" validation evaluation-20")
	}
	got := slices.Sorted(maps.Keys(parts))
	if !slices.Equal(got, want) {
		t.Errorf("rows of %q, expected %q", got, want)
	}
}

// TestEvaluationBatchRefused: sizes that cannot be measured are named, and nothing is measured.
func TestEvaluationBatchRefused(t *testing.T) {
	for size, want := range map[string]string{
		"0": "1 to 100000", "-3": "1 to 100000", "100001": "1 to 100000", "[]": "at least one", "[20, 20]": "twice",
		"181":                                  `the test part of toy has 180 events, expected batches of at most that, found 181`,
		"[20, 1], test_state: [carry, replay]": "expected one size or test_state: carry",
	} {
		dir := workplace(t)
		write(t, filepath.Join(dir, "specs", "toy.yaml"), strings.Replace(freshSuite, "[20, 1, 180]", size, 1))
		for _, command := range []string{"all", "run", "plan"} {
			for _, more := range [][]string{nil, {"--dry-run"}} {
				code, _, stderr := bench(append([]string{command}, all(dir, "out", more...)[1:]...)...)
				refusedSize(t, size, want, code, stderr)
			}
		}
	}
}

// TestSizesOfRuns: two runs on one dataset have the same sizes, as their tests share columns.
func TestSizesOfRuns(t *testing.T) {
	dir := workplace(t)
	write(t, filepath.Join(dir, "specs", "toy.yaml"), strings.Replace(freshSuite, "tables:",
		"  - {task: nc, datasets: [toy], models: [graph-sprints], protocol: {evaluation_batch: [1, 20]}}\ntables:", 1))
	code, _, stderr := bench(all(dir, "out")...)
	refusedSize(t, "another list", "expected [20 1 180] as in the first run on toy, found [1 20]", code, stderr)
}

// refusedSize checks that a command ended with one message about a size.
func refusedSize(t *testing.T, size, want string, code int, stderr string) {
	t.Helper()
	if code != exitUsage || !strings.Contains(stderr, want) || strings.Count("\n"+stderr, "\nbench: ") != 1 || strings.Contains(stderr, "plan: ") {
		t.Errorf("%s: exit code %d and\n%s\nexpected %q", size, code, stderr, want)
	}
}
