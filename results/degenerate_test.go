package results_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"dgsbench/metrics"
	"dgsbench/protocol"
	"dgsbench/results"
	"dgsbench/results/record"
	"dgsbench/results/record/recordtest"
	"dgsbench/results/table"
	"dgsbench/specs"
)

// constant is what random observes of a model that gives every event of the
// test part one score.
func constant(seed uint64) record.Observed {
	o := random(seed)
	for k := range o[record.Part{Split: protocol.Test}].Score {
		o[record.Part{Split: protocol.Test}].Score[k] = float32(seed)
	}
	return o
}

// against is what a model observes that ranks every event first of as many
// negatives as are given, or second where second is set.
func against(negatives []int32, second bool) record.Observed {
	o := record.Observed{}
	for _, part := range record.Parts(protocol.LinkPrediction, "") {
		f := metrics.Facts{Against: negatives, Equal: make([]int32, len(negatives)), Greater: make([]int32, len(negatives))}
		for k, n := range negatives {
			if second {
				f.Greater[k] = min(1, n)
			}
		}
		o[part] = f
	}
	return o
}

// TestDegenerate: one score for every event is no result in any of the seeds.
// It is marked, and neither ranked nor compared; nobody's place depends on it.
func TestDegenerate(t *testing.T) {
	s := record.Store{Dir: t.TempDir()}
	heads := []results.ModelHead{
		{ID: "stuck", Title: "Stuck", Class: protocol.Learned}, {ID: "half", Title: "Half", Class: protocol.Learned},
		{ID: "good", Title: "Good", Class: protocol.Learned},
	}
	for seed := range uint64(3) {
		recordtest.Write(t, s, recordtest.Trial("nc", "", "stuck", seed), constant(seed))
		half := random(seed + 20)
		if seed == 1 {
			half = constant(9)
		}
		recordtest.Write(t, s, recordtest.Trial("nc", "", "half", seed), half)
		recordtest.Write(t, s, recordtest.Trial("nc", "", "good", seed), random(seed+40))
	}
	cells := aggregate(t, s)
	for _, c := range cells {
		for _, r := range c.Rows {
			caveat := map[string]string{"stuck": "every event got the same score", "half": "every event got the same score in 1 of 3 seeds"}[c.Model]
			if r.Split == protocol.Validation {
				caveat = ""
			}
			degenerate := c.Model == "stuck" && r.Split == protocol.Test
			if r.Caveat != caveat || r.Degenerate != degenerate || r.CILow.Present() == degenerate {
				t.Errorf("%s, %s %s: degenerate %v, caveat %q, interval from %v", c.Model, r.Split, r.Metric, r.Degenerate, r.Caveat, r.CILow)
			}
		}
	}
	for _, c := range results.Comparisons(cells) {
		if c.Better.Model == "stuck" || c.Other.Model == "stuck" {
			t.Errorf("%s is compared with %s", c.Better.Model, c.Other.Model)
		}
	}
	made, err := results.NodeClassification(cells, results.Layout{Models: heads, Datasets: []results.DatasetHead{{ID: "mooc", Title: "MOOC"}}})
	if err != nil {
		t.Fatal(err)
	}
	rows := made.Blocks[0]
	last := len(rows[0]) - 1
	for i, want := range []struct {
		value, rank table.Mark
		ranked      bool
	}{{table.Unmarked, table.Unmarked, false}, {table.Second, table.Second, true}, {table.Best, table.Best, true}} {
		value, rank := rows[i][2], rows[i][last]
		if value.Mark != want.value || rank.Mark != want.rank || value.Ranked() != want.ranked || (rank.Value != nil) != want.ranked {
			t.Errorf("%s: %+v, average rank %+v", heads[i].ID, value, rank)
		}
	}
	if rows[0][2].Level || rows[0][2].Value == nil || rows[2][last].Value.Mean != 1 {
		t.Errorf("value %+v, best rank %v", rows[0][2], rows[2][last].Value)
	}
	for i, want := range []string{"is uninformative and is not ranked", "same score in 1 of 3 seeds", ""} {
		var notes []string
		for _, n := range rows[i][2].Notes {
			notes = append(notes, made.Notes[n-1])
		}
		if text := strings.Join(notes, "; "); (want == "") != (text == "") || !strings.Contains(text, want) {
			t.Errorf("%s: footnotes %q, expected %q", heads[i].ID, text, want)
		}
	}
	var out bytes.Buffer
	if err := results.WriteCSV(&out, results.Rows(cells)); err != nil || strings.Count(out.String(), ",true,every event got the same score\n") != 2 {
		t.Errorf("%v\n%s", err, out.String())
	}
}

// TestWithoutNegatives: events without negatives come out first whatever the
// model says. Where all are, nobody is ranked and equal answers are no
// surprise; where some are, that is said.
func TestWithoutNegatives(t *testing.T) {
	for name, c := range map[string]struct {
		negatives []int32
		note      string
		ranked    bool
	}{
		"none": {[]int32{0, 0, 0, 0}, "no event had a negative: the value is uninformative and is not ranked", false},
		"some": {[]int32{0, 9, 0, 9}, "2 of 4 events had no negative and come out first", true},
		"one":  {[]int32{9}, "a single event was ranked: the value is uninformative and is not ranked", false},
	} {
		s := record.Store{Dir: t.TempDir()}
		for i, model := range []string{"a", "b"} {
			for seed := range uint64(3) {
				recordtest.Write(t, s, recordtest.Trial("lp", "T", model, seed), against(c.negatives, i > 0))
			}
		}
		cells := aggregate(t, s)
		out, err := results.Make(results.Input{Cells: cells, Links: results.Layout{
			Candidates: []protocol.CandidateSet{protocol.AllNodes},
			Models:     []results.ModelHead{{ID: "a", Title: "A", Class: protocol.Learned}, {ID: "b", Title: "B", Class: protocol.Learned}},
			Datasets:   []results.DatasetHead{{ID: "mooc", Title: "MOOC"}}, Settings: []protocol.Setting{"T"},
		}}, specs.Tables{Show: []specs.Table{{ID: "lp"}}})
		if err != nil {
			t.Fatal(err)
		}
		made := out.Tables[0]
		if !slices.Contains(made.Notes, c.note) {
			t.Errorf("%s: no footnote %q among %q", name, c.note, made.Notes)
		}
		for _, row := range made.Blocks[0] {
			for i, e := range row {
				if made.Columns[i].Kind != table.Text && (e.Ranked() != c.ranked || !c.ranked && (e.Mark != table.Unmarked || e.Level)) {
					t.Errorf("%s: %s is %+v", name, made.Columns[i].Head, e)
				}
			}
		}
		if compared := len(results.Comparisons(cells)) > 0; compared != c.ranked {
			t.Errorf("%s: compared: %v", name, compared)
		}
		if warnings := results.Warnings(cells); !c.ranked && len(warnings) > 0 {
			t.Errorf("%s: %q", name, warnings)
		}
	}
}

// TestDegenerateAboveAll: what is level with the best is told by the best that
// is ranked, also where every model is worse than one score for all.
func TestDegenerateAboveAll(t *testing.T) {
	s := record.Store{Dir: t.TempDir()}
	for i, model := range []string{"stuck", "a", "b"} {
		for seed := range uint64(3) {
			o := random(seed + 20*uint64(i))
			for _, f := range o {
				for k := range f.Score {
					f.Score[k] = min(f.Score[k], 1) * -min(1, float32(i))
				}
			}
			recordtest.Write(t, s, recordtest.Trial("nc", "", model, seed), o)
		}
	}
	heads := []results.ModelHead{{ID: "stuck", Class: protocol.Learned}, {ID: "a", Class: protocol.Learned}, {ID: "b", Class: protocol.Learned}}
	made, err := results.NodeClassification(aggregate(t, s), results.Layout{Models: heads, Datasets: []results.DatasetHead{{ID: "mooc", Title: "MOOC"}}})
	if err != nil {
		t.Fatal(err)
	}
	rows := made.Blocks[0]
	if stuck, a, b := rows[0][2], rows[1][2], rows[2][2]; stuck.Level || a.Level == b.Level || stuck.Value.Mean < a.Value.Mean {
		t.Errorf("level with the best: stuck %v, a %v, b %v; means %v, %v", stuck.Level, a.Level, b.Level, stuck.Value.Mean, a.Value.Mean)
	}
}

// TestDegenerateIsNotDrawn: a drawing has no footnotes.
func TestDegenerateIsNotDrawn(t *testing.T) {
	in := smallSuite(t)
	for i, c := range in.Cells {
		if c.Model == dgsHead.ID {
			in.Cells[i].Rows[0].Degenerate, in.Cells[i].Rows[0].Caveat = true, "every event got the same score"
		}
	}
	out := makeTables(t, in, "auc-runtime")
	drawn := svgTexts(t, out.Figures[0].SVG)
	if drawn[dgsHead.Title] != 0 || drawn[sprintsHead.Title] == 0 {
		t.Errorf("%s is drawn %d times, %s %d times", dgsHead.Title, drawn[dgsHead.Title], sprintsHead.Title, drawn[sprintsHead.Title])
	}
	if !slices.Contains(out.Tables[0].Notes, "every event got the same score: the value is uninformative and is not ranked") {
		t.Errorf("footnotes %q", out.Tables[0].Notes)
	}
}
