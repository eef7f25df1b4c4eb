package results_test

import (
	"strings"
	"testing"

	"dgsbench/internal/svgtest"
	"dgsbench/results"
	"dgsbench/specs"
)

// TestCriticalDifferences: learned models with a value on every dataset are drawn with
// the values of the table, and joined where the comparisons do not tell them apart.
func TestCriticalDifferences(t *testing.T) {
	in, out := made(t, showing(specs.Table{ID: "nc", Datasets: []string{"new"}}))
	if len(out.Figures) != 1 || out.Figures[0].Name != out.Tables[0].Name {
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
