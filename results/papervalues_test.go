package results_test

import (
	"bytes"
	"path/filepath"
	"slices"
	"testing"

	"dgsbench/internal/golden"
	"dgsbench/internal/lists"
	"dgsbench/results"
	"dgsbench/results/record"
	"dgsbench/results/table"
	"dgsbench/specs"

	_ "dgsbench/datasets/sim"
	_ "dgsbench/models/standard"
)

// TestPaperPage: docs/paper-values.md has the paper's columns of the suite paper.
func TestPaperPage(t *testing.T) {
	lib, err := specs.NewLibrary("")
	if err != nil {
		t.Fatal(err)
	}
	suite, err := lib.LoadSuite("paper")
	if err != nil {
		t.Fatal(err)
	}
	trials, err := suite.Trials(specs.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := results.NewReport(record.Store{Dir: t.TempDir()}, nil, results.Outline{Suite: suite, Trials: trials})
	if err != nil {
		t.Fatal(err)
	}
	out := bytes.NewBufferString("# The paper's values\n\n" +
		"What *Deep-Graph-Sprints* gives in its tables, on its own datasets (`results/reference/paper.yaml`). The suite `paper` has them beside ours.\n" +
		"A test makes this page.\n")
	for _, made := range r.Tables {
		if made = published(made); len(made.Blocks) == 0 {
			continue
		}
		out.WriteString("\n")
		if err := table.WriteMarkdown(out, made); err != nil {
			t.Fatal(err)
		}
	}
	golden.Compare(t, filepath.Join("..", "docs", "paper-values.md"), out.String())
}

// published returns the table with what names its rows and what the paper gives; no
// block where it gives nothing.
func published(t table.Table) table.Table {
	heads := max(1, t.Heads)
	var kept []int
	for c, column := range t.Columns {
		if c < heads || column.Kind == table.Published {
			kept = append(kept, c)
		}
	}
	some := func(row table.Row) table.Row { return lists.Map(kept, func(c int) table.Entry { return row[c] }) }
	var rows []table.Row
	for _, row := range slices.Concat(t.Blocks...) {
		if row = some(row); slices.ContainsFunc(row[heads:], func(e table.Entry) bool { return e.Value != nil }) {
			rows = append(rows, row)
		}
	}
	t.Columns = lists.Map(kept, func(c int) table.Column { return t.Columns[c] })
	if t.Blocks = nil; len(rows) > 0 {
		t.Blocks = [][]table.Row{rows}
	}
	t.Legend, t.Command, t.Source = []string{"±: as the paper gives it", table.NoValue + ": no value"}, "", ""
	t.Renumber()
	return t
}
