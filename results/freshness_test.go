package results_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"dgsbench/internal/golden"
	"dgsbench/protocol"
	"dgsbench/results"
	"dgsbench/results/record"
	"dgsbench/results/table"
	"dgsbench/specs"
)

// fresh tests a model in batches of three sizes, better in smaller ones.
func fresh(r *record.Record, o record.Observed) {
	r.FirstEvaluation, r.Evaluations = "evaluation-200", []string{"evaluation-1", "evaluation-1000"}
	test := record.Part{Split: protocol.Test}
	facts := o[test]
	delete(o, test)
	for i, name := range r.Evaluated() {
		test.Evaluation = name
		moved := facts
		moved.Score = append([]float32(nil), facts.Score...)
		for k, label := range facts.Label {
			moved.Score[k] += []float32{0, .5, -.2}[i] * float32(label)
		}
		o[test] = moved
	}
}

// TestFreshnessTable: rows are ranked at each size, columns ascend, and what was not
// tested in several sizes is not there.
func TestFreshnessTable(t *testing.T) {
	s := record.Store{Dir: t.TempDir()}
	in := results.Input{Store: s, Command: "bench all --suite freshness", Source: "specs/freshness.yaml"}
	in.Classification.Settings = []protocol.Setting{""}
	in.Classification.Models = []results.ModelHead{{ID: "elsewhere", Title: "The one of other data", Class: protocol.Learned}}
	for _, p := range []planted{
		{"new", "a", protocol.Learned, 4, 1, fresh}, {"new", "ccc", protocol.Learned, 4, .3, fresh}, {"new", "rule", protocol.ZeroParameter, 1, .5, fresh},
	} {
		p.write(t, s)
		in.Classification.Models = append(in.Classification.Models, results.ModelHead{ID: p.model, Title: "The " + p.model, Class: p.class})
		p.dataset, p.change = "older", nil
		p.write(t, s)
	}
	for i, size := range []int{200, 1, 1000} {
		in.Classification.Datasets = append(in.Classification.Datasets, results.DatasetHead{
			ID: "new", Case: []string{"evaluation-200", "evaluation-1", "evaluation-1000"}[i], Title: "new", Place: "new", Events: size, Further: i > 0,
		})
	}
	in.Classification.Datasets = append(in.Classification.Datasets, results.DatasetHead{ID: "older", Title: "older", Place: "older"})
	records, _, err := s.Load("")
	if err != nil {
		t.Fatal(err)
	}
	in.Records = records
	if in.Cells, err = results.Aggregate(s, records, showing(), nil); err != nil {
		t.Fatal(err)
	}
	out, err := results.Make(in, showing(specs.Table{ID: "freshness"}))
	if err != nil || len(out.Tables) != 1 || len(out.Figures) != 1 {
		t.Fatalf("%d tables, %d figures, %v", len(out.Tables), len(out.Figures), err)
	}
	var text bytes.Buffer
	if err := table.WriteText(&text, table.Screen{Width: 120}, out.Tables[0]); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, filepath.Join("testdata", "tables", "freshness.txt"), text.String())
	if p := out.Figures[0].Panels; len(p) != 1 || p[0].Group != "new" || p[0].Title != "new, simulated" {
		t.Errorf("panels %+v", p)
	}
	if n := len(out.Summary.Answers); n != 2 { // of the first size, and of the other dataset
		t.Errorf("%d answers: %+v", n, out.Summary.Answers)
	}
}
