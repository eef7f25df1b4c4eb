package results_test

import (
	"fmt"
	"strings"
	"testing"

	"dgsbench/results"
	"dgsbench/specs"
)

// TestDelay: a figure joins the datasets that differ by their delay, case by case;
// a single one has no line, and other datasets are left out.
func TestDelay(t *testing.T) {
	in := smallSuite(t)
	in.Classification.Models = []results.ModelHead{rawHead, dgsHead}
	for delay := 1; delay <= 3; delay++ {
		d := results.DatasetHead{ID: fmt.Sprintf("buffer-sim-%d", delay), Case: "batch-1", Title: fmt.Sprintf("buffer-sim-%d, batch-1", delay), Delay: delay}
		in.Classification.Datasets = append(in.Classification.Datasets, d)
		for i, m := range in.Classification.Models {
			c := nc(d.ID, m.ID, .6+.1*float64(i)-.05*float64(delay), .01, 5)
			c.Case = d.Case
			in.Cells = append(in.Cells, c)
		}
	}
	alone := results.DatasetHead{ID: "buffer-sim-1", Case: "batch-200", Title: "buffer-sim-1, batch-200", Delay: 1}
	in.Classification.Datasets = append(in.Classification.Datasets, alone)
	c := nc(alone.ID, "dgs", .5, .01, 5)
	c.Case = alone.Case
	in.Cells = append(in.Cells, c)

	out, err := results.Make(in, specs.Tables{Show: []specs.Table{{ID: "delay"}}})
	if err != nil || len(out.Tables) != 1 || len(out.Figures) != 1 {
		t.Fatalf("%d tables, %d figures, %v", len(out.Tables), len(out.Figures), err)
	}
	compareLayouts(t, "delay", out.Tables[0])
	if svg := string(out.Figures[0].SVG); strings.Count(svg, "delay, events of a node") != 1 || !strings.Contains(svg, "DGS") {
		t.Errorf("expected one panel with a line for each model:\n%s", svg)
	}
}
