package results

import (
	"testing"

	_ "dgsbench/datasets/sim"
	_ "dgsbench/models/standard"
	"dgsbench/results/record"
	"dgsbench/specs"
)

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
	out, err := Make(Input{Ranges: ranges(suite)}, specs.Tables{Show: []specs.Table{{ID: "ranges"}}})
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
