package harness

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dgsbench/datasets"
	_ "dgsbench/datasets/sim"
	"dgsbench/results"
	"dgsbench/results/record"
	"dgsbench/specs"
)

// TestDataOf: a stream of four events, one of them without a label.
func TestDataOf(t *testing.T) {
	l := &datasets.Loaded{
		Stream: datasets.Stream{
			Src: []int32{0, 1, 0, 1}, Dst: []int32{2, 3, 4, 2}, Time: []float64{10, 20, 30, 110}, Label: []int8{1, 0, datasets.Unlabelled, 1},
			Feat: make([]float32, 8), NumFeat: 2, NumNodes: 5, Users: 2,
		},
		Split: datasets.Split{TrainEnd: 2, ValEnd: 3},
	}
	want := &record.Data{
		Nodes: 5, Users: 2, Events: 4, Features: 2, Positives: 2, Labelled: 3, Duration: 100,
		Parts: []record.DataPart{{Events: 2, Positives: 1}, {Events: 1}, {Events: 1, Positives: 1}},
	}
	if diff := cmp.Diff(want, dataOf(l)); diff != "" {
		t.Error(diff)
	}
}

// TestEveryRangeOfThePaper: our models search every hyper-parameter of the
// paper's table under the title that it has there.
func TestEveryRangeOfThePaper(t *testing.T) {
	lib, err := specs.NewLibrary("")
	if err != nil {
		t.Fatal(err)
	}
	suite, err := lib.LoadSuite("quick")
	if err != nil {
		t.Fatal(err)
	}
	shown, err := ShownOf(suite)
	if err != nil {
		t.Fatal(err)
	}
	out, err := results.Make(results.Input{Ranges: shown.Ranges}, []results.Choice{{ID: "ranges"}})
	if err != nil {
		t.Fatal(err)
	}
	paper := map[string]bool{}
	for _, row := range out.Tables[0].Blocks[0] {
		if row[5].Text != "–" {
			paper[row[5].Text+" "+row[0].Text] = true
		}
	}
	if len(paper) != 14 {
		t.Errorf("%d of the paper's 14 rows: %v", len(paper), paper)
	}
}

// TestSourceOf: versions once, in order, with the first digits of commits.
func TestSourceOf(t *testing.T) {
	var records []record.Record
	for _, version := range []string{"unknown", "0123456789abcdef+dirty", "unknown"} {
		records = append(records, record.Record{CodeVersion: version})
	}
	want := "a.yaml; 3 records of code version 0123456789ab+dirty, unknown"
	if got := sourceOf("a.yaml", records); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestLeftOutByTheFlags: a narrowed report does not say of the rest of its
// suite that others measure it.
func TestLeftOutByTheFlags(t *testing.T) {
	lib, err := specs.NewLibrary("")
	if err != nil {
		t.Fatal(err)
	}
	suite, err := lib.LoadSuite("paper")
	if err != nil {
		t.Fatal(err)
	}
	shown, err := ShownOf(suite)
	if err != nil {
		t.Fatal(err)
	}
	if shown.Trials, err = suite.Trials(specs.Filter{Datasets: []string{"fi-a-sim"}}); err != nil {
		t.Fatal(err)
	}
	report, err := NewReport(record.Store{Dir: t.TempDir()}, nil, shown)
	if err != nil || len(report.Tables) == 0 {
		t.Fatal(len(report.Tables), err)
	}
	notes := strings.Join(report.Tables[0].Notes, "; ")
	if !strings.Contains(notes, "left out by the flags") || strings.Contains(notes, "not measured by this suite") {
		t.Errorf("footnotes %q", notes)
	}
}
