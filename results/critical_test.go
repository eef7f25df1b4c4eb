package results_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"dgsbench/internal/svgtest"
	"dgsbench/protocol"
	"dgsbench/results"
	"dgsbench/results/table"
	"dgsbench/specs"
)

// TestCriticalDifferences: learned models with a value on every dataset are drawn with
// the values of the table, and joined where the comparisons do not tell them apart.
func TestCriticalDifferences(t *testing.T) {
	in, out := made(t, showing(specs.Table{ID: "nc", Datasets: []string{"new"}}))
	if len(out.Figures) != 1 || out.Figures[0].Name != "nc-ranks" || out.Figures[0].Table != out.Tables[0].Name {
		t.Fatalf("%d figures", len(out.Figures))
	}
	f := out.Figures[0]
	svgtest.Check(t, f.Name, f.SVG)
	drawn := ""
	for _, text := range svgtest.Texts(t, f.SVG) {
		drawn += text.Text + "\n"
	}
	for name, want := range map[string]bool{"The a ": true, "The bb ": true, "The ccc ": true, "The flat": false, "The rule": false} {
		if strings.Contains(drawn, name) != want {
			t.Errorf("%q in %q: %v", name, drawn, !want)
		}
	}
	apart := map[string]bool{}
	for _, c := range results.Comparisons(in.Cells) {
		apart[c.Dataset+c.Better.Model+c.Other.Model] = c.Significant()
		apart[c.Dataset+c.Other.Model+c.Better.Model] = c.Significant()
	}
	if apart["newabb"] || !apart["newaccc"] || !apart["newbbccc"] {
		t.Fatalf("other comparisons: %v", apart)
	}
	if n := strings.Count(string(f.SVG), "stroke-width:3\""); n != 1 {
		t.Errorf("%d thick lines, expected that of the a and the bb", n)
	}
	// On both datasets, two models have a rank: nothing to draw.
	if _, out := made(t, showing(specs.Table{ID: "nc"})); len(out.Figures) > 0 {
		t.Error("a figure of two models")
	}
}

// ranked makes the table of learned models on datasets, each worse than the one before;
// the last ones were measured on the first dataset only.
func ranked(t *testing.T, models, partly int, on ...results.DatasetHead) results.Output {
	t.Helper()
	in := results.Input{Command: "bench all"}
	in.Classification.Datasets = on
	for i := range models {
		m := results.ModelHead{ID: fmt.Sprint("m", i), Title: fmt.Sprint("Model ", i), Class: protocol.Learned}
		in.Classification.Models = append(in.Classification.Models, m)
		for k, d := range on {
			if k > 0 && i < partly {
				continue
			}
			in.Cells = append(in.Cells, with(nc(d.ID, m.ID, .9-.01*float64(i)-.1*float64(k), .01, 5), func(c *results.Cell) { c.Case = d.Case }))
		}
	}
	out, err := results.Make(in, showing(specs.Table{ID: "nc"}))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestRanksWithMissing: the best models are not drawn, because they failed on a dataset,
// and the ranks of the others are on the page.
func TestRanksWithMissing(t *testing.T) {
	out := ranked(t, 7, 4, wikipedia, mooc)
	if len(out.Figures) != 1 || len(out.Figures[0].Panels) != 1 {
		t.Fatalf("%d figures", len(out.Figures))
	}
	f := out.Figures[0]
	svgtest.Check(t, "all", f.SVG)
	svgtest.Check(t, "alone", f.Panels[0].SVG)
	if p := f.Panels[0]; p.Title != "Node classification, 2 datasets" || p.Group != "" {
		t.Errorf("%q is of %q", p.Title, p.Group)
	}
}

// TestRanksAtFirstSize: further sizes of evaluation batches are no datasets, neither in
// the average rank nor in the diagram; two protocols of one dataset are.
func TestRanksAtFirstSize(t *testing.T) {
	var sizes []results.DatasetHead
	for i, name := range []string{"evaluation-200", "evaluation-1", "evaluation-50"} {
		sizes = append(sizes, results.DatasetHead{ID: "new", Case: name, Title: "new, " + name, Place: "new", Further: i > 0})
	}
	out := ranked(t, 4, 2, sizes...)
	if len(out.Figures) != 1 || len(out.Figures[0].Panels) != 1 {
		t.Fatalf("%d figures", len(out.Figures))
	}
	if p := out.Figures[0].Panels[0]; p.Title != "new, evaluation-200" || p.Group != "new" {
		t.Errorf("%q is of %q", p.Title, p.Group)
	}
	rank := slices.IndexFunc(out.Tables[0].Columns, func(c table.Column) bool { return c.Kind == table.Ranks })
	for i, row := range out.Tables[0].Blocks[0] { // also of those without a value at the other sizes
		if v := row[rank].Value; v == nil || float64(v.Mean) != float64(i+1) {
			t.Errorf("%s has the average rank %v, expected %d", row[0].Text, v, i+1)
		}
	}
	sizes[1].Further, sizes[1].Case, sizes[1].Title = false, "long", "new, long"
	out = ranked(t, 4, 0, sizes[:2]...)
	if p := out.Figures[0].Panels[0]; p.Title != "Node classification, new" || p.Group != "new" {
		t.Errorf("%q is of %q", p.Title, p.Group)
	}
}

// TestDistributions: a line a model that was timed, up to all batches.
func TestDistributions(t *testing.T) {
	out, err := results.Make(smallSuite(t), showing(specs.Table{ID: "latency"}))
	if err != nil || len(out.Figures) != 1 || out.Figures[0].Name != out.Tables[0].Name {
		t.Fatal(len(out.Figures), err)
	}
	f := out.Figures[0]
	svgtest.Check(t, f.Name, f.SVG)
	texts := svgTexts(t, f.SVG)
	for text, want := range map[string]int{"Raw": 1, "DGS-sum": 1, "TGN-attn": 0, "batches finished within the time (%)": len(f.Panels), "100": len(f.Panels)} {
		if texts[text] != want {
			t.Errorf("%q is drawn %d times, expected %d", text, texts[text], want)
		}
	}
	for _, p := range f.Panels {
		if p.Group != shop.ID {
			t.Errorf("%s is of %q", p.Title, p.Group)
		}
	}
}
