package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"dgsbench/internal/optional"
	"dgsbench/metrics"
	"dgsbench/results"
	"dgsbench/results/figure"
)

// aSearch has two trials by chance, one that failed and two of TPE; the second
// one is the best.
func aSearch() Search {
	return Search{
		Model: "dgs", Dataset: "d", Task: "nc", Metric: metrics.Of("nc")[0], Own: .5,
		Trials: []Tried{
			{Number: 0, Phase: "random", Value: .25},
			{Number: 1, Phase: "random", Value: .75},
			{Number: 2, Phase: "tpe", Value: optional.Absent(), Error: "not finite"},
			{Number: 3, Phase: "tpe", Value: .75},
			{Number: 4, Phase: "tpe", Value: .5},
		},
	}
}

// TestSearchRow: what the best trial brought, which is the first of level ones.
func TestSearchRow(t *testing.T) {
	var got []string
	for _, x := range aSearch().row() {
		got = append(got, fmt.Sprint(x))
	}
	want := []string{"50.00", "75.00", "+25.00", "1, random", "5", "1"}
	if !slices.Equal(got[3:], want) {
		t.Errorf("%q, want %q", got[3:], want)
	}
	if says := aSearch().sentence(); says != "Best of 5 trials: AUC 75.00 %, trial 1 (random); own options: 50.00 %." {
		t.Error(says)
	}
}

// TestSearchByBrier: of a metric whose lowest value is best, the best are the lowest.
func TestSearchByBrier(t *testing.T) {
	s := aSearch()
	var err error
	if s.Metric, err = metrics.Lookup("brier"); err != nil {
		t.Fatal(err)
	}
	if best, ok := s.best(); !ok || best.Number != 0 {
		t.Errorf("best is %+v", best)
	}
	for _, series := range s.draw().Panels[0].Series {
		for _, p := range series.Points {
			if series.Class == "best" && p.Y.Mean != 25 {
				t.Errorf("the best so far is drawn at %v", p.Y.Mean)
			}
		}
	}
}

// TestSearchDrawing: every trial that has a value has its mark, and the line
// of the best so far never falls.
func TestSearchDrawing(t *testing.T) {
	marks := map[string]int{}
	for _, s := range aSearch().draw().Panels[0].Series {
		marks[s.Class] = len(s.Points)
		if s.Class != "best" {
			continue
		}
		if !slices.IsSortedFunc(s.Points, func(a, b figure.Point) int { return cmp.Compare(a.Y.Mean, b.Y.Mean) }) {
			t.Errorf("best so far: %v", s.Points)
		}
	}
	if marks["random"] != 2 || marks["tpe"] != 2 || marks["own"] != 2 || marks["best"] < 4 {
		t.Errorf("marks: %v", marks)
	}
}

// TestWarnings: what is wrong with a folder stands on its page.
func TestWarnings(t *testing.T) {
	f := Folder{Name: "a", Report: results.Report{Warnings: []string{"3 trials are not there"}}, Searches: []Search{aSearch()}}
	if !strings.Contains(written(t, Page{Folders: []Folder{f}}), "Warning: 3 trials are not there.") {
		t.Error("the warning is left out")
	}
}
