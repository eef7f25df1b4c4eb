package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"dgsbench/datasets"
)

// TestDegenerateResults: events that all go to one node leave nothing to rank,
// and a feature that is constant nothing to tell them by. Neither is printed as
// a result.
func TestDegenerateResults(t *testing.T) {
	dir := workplace(t)
	var csv strings.Builder
	csv.WriteString("src,dst,t,label,x,y\n")
	for k := range 300 {
		fmt.Fprintf(&csv, "u%d,i,%d,%d,3,%d\n", k%7, k, k/3%2, k%5)
	}
	write(t, filepath.Join(dir, "flat.csv"), csv.String())
	t.Cleanup(func() { datasets.SetImported(nil) })
	data := []string{"--data", filepath.Join(dir, "data")}
	measure(t, append([]string{
		"data", "import", filepath.Join(dir, "flat.csv"), "--name", "flat", "--src", "src", "--dst", "dst", "--time", "t", "--label", "label", "--features", "x,y",
		"--bipartite", "--split", "0.6,0.8", "--split-by", "row",
	}, data...)...)
	if _, stdout, stderr := bench(append([]string{"data", "stats", "flat"}, data...)...); !strings.Contains(stdout, "features that are constant") || !strings.Contains(stdout, " 1: f1\n") {
		t.Errorf("the constant feature is not named in\n%s%s", stdout, stderr)
	}
	write(t, filepath.Join(dir, "specs", "stuck.yaml"), "id: stuck\nmodel: sleeper\ntitle: Stuck\n")
	t.Setenv(sleep, "0s")
	write(t, filepath.Join(dir, "specs", "toy.yaml"), `name: toy
title: Flat
protocol: {batch: 20, epochs: 1}
seeds: 3
runs:
  - {task: lp, settings: [T], datasets: [flat], models: [edgebank, graph-sprints, tgn-id], protocol: {candidates: [destinations]}}
  - {task: nc, datasets: [flat], models: [stuck, raw]}
`)
	code, _, stderr := bench(all(dir, "out")...)
	if code != exitDone {
		t.Fatal(stderr)
	}
	stdout := read(t, dir, "out", "toy", "tables.md") // with all footnotes
	for _, want := range []string{"no event had a negative: the value", "every event got the same score: the value"} {
		if strings.Count(stdout, want) != 1 {
			t.Errorf("no footnote %q in\n%s", want, stdout)
		}
	}
	if strings.Contains(stdout, "100.00*") || strings.Contains(stdout, "bit for bit") || strings.Contains(stdout, "[100.00") || strings.Contains(stdout, "[50.00, 50.00]") {
		t.Errorf("marked, doubted or with an interval:\n%s", stdout)
	}
	if !strings.Contains(stderr, "test AUC 0.5000, which is uninformative: every event got the same score") {
		t.Errorf("the trial's value is not marked in\n%s", stderr)
	}
	table := read(t, dir, "out", "toy", "results.csv")
	if n := strings.Count(table, ",true,no event had a negative\n"); n != 3*2*2 {
		t.Errorf("%d rows without negatives, expected every metric of both parts:\n%s", n, table)
	}
	if comparisons := read(t, dir, "out", "toy", "comparisons.csv"); strings.Count(comparisons, "\n") != 1 {
		t.Errorf("compared:\n%s", comparisons)
	}
}
