package results_test

import (
	"bytes"
	"fmt"
	"image/png"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dgsbench/internal/golden"
	"dgsbench/internal/lists"
	"dgsbench/metrics"
	"dgsbench/protocol"
	"dgsbench/results"
	"dgsbench/results/figure"
	"dgsbench/results/record"
	"dgsbench/results/table"
	"dgsbench/specs"
)

// curveTables are drawn of facts.
var curveTables = []string{"roc", "pr", "calibration", "auc-time"}

// withDays makes a record that knows its days: the fourth has no event, the fifth
// only one, and scores of all but rules are log-odds.
func withDays(r *record.Record, _ record.Observed) {
	r.Data = &record.Data{Events: 900, Parts: []record.DataPart{{Events: 300}, {Events: 300}, {
		Events: numScored, Positives: 75, Days: []int32{0, 60, 120, 180, 180, 181, 240},
	}}}
	r.LogOdds = r.ModelClass != protocol.ZeroParameter
}

// level gives every event the same score.
func level(r *record.Record, o record.Observed) {
	withDays(r, o)
	clear(o[record.Part{Split: protocol.Test}].Score)
}

// alerts measures models on a dataset whose records know all, and on an older
// one, and returns the input of tables that shows them.
func alerts(t *testing.T, chosen specs.Tables) results.Input {
	t.Helper()
	s := record.Store{Dir: t.TempDir()}
	in := results.Input{Store: s, Command: "bench all --suite alerts", Source: "specs/alerts.yaml"}
	models := []planted{
		{"new", "a", protocol.Learned, 4, 1, withDays},
		{"new", "bb", protocol.Learned, 4, 1, withDays},
		{"new", "ccc", protocol.Learned, 4, .3, withDays},
		{"new", "flat", protocol.Learned, 3, .3, level},
		{"new", "rule", protocol.ZeroParameter, 1, .5, withDays},
	}
	for _, p := range models {
		p.write(t, s)
		in.Classification.Models = append(in.Classification.Models, results.ModelHead{ID: p.model, Title: "The " + p.model, Class: p.class})
	}
	for _, p := range models[:2] {
		p.dataset, p.change = "older", nil
		p.write(t, s)
	}
	in.Classification.Datasets = []results.DatasetHead{{ID: "new", Title: "new"}, {ID: "older", Title: "older"}}
	records, _, err := s.Load("")
	if err != nil {
		t.Fatal(err)
	}
	in.Records = records
	if in.Cells, err = results.Aggregate(s, records, chosen, nil); err != nil {
		t.Fatal(err)
	}
	return in
}

func showing(tables ...specs.Table) specs.Tables { return specs.Tables{Show: tables} }

// made makes the tables that are chosen.
func made(t *testing.T, chosen specs.Tables) (results.Input, results.Output) {
	t.Helper()
	in := alerts(t, chosen)
	out, err := results.Make(in, chosen)
	if err != nil {
		t.Fatal(err)
	}
	return in, out
}

func compareText(t *testing.T, name string, one table.Table) {
	t.Helper()
	var got bytes.Buffer
	if err := table.WriteText(&got, table.Screen{Width: 120, AllNotes: true}, one); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, filepath.Join("testdata", "tables", name+".txt"), got.String())
}

// TestChosenMetrics: the first is the headline, a lower Brier score is better, each
// column has its comparisons, and what older records do not know is a dash.
func TestChosenMetrics(t *testing.T) {
	chosen := showing(specs.Table{ID: "nc", Metrics: []string{"brier", "ap", "recall@1%fpr", "precision@3/day"}})
	in, out := made(t, chosen)
	compareText(t, "alerts-nc", out.Tables[0])
	compared := map[string]int{}
	for _, c := range results.Comparisons(in.Cells) {
		compared[c.Metric]++
		if worse := c.Better.Mean < c.Other.Mean; worse != (c.Metric == "brier") {
			t.Errorf("%s: %s with %v is said to be better than %s with %v", c.Metric, c.Better.Model, c.Better.Mean, c.Other.Model, c.Other.Mean)
		}
	}
	// New: three that say something, and with a rule; older: one pair.
	if want := (map[string]int{"auc": 7, "brier": 3, "ap": 7, "recall@1%fpr": 7, "precision@3/day": 6}); fmt.Sprint(compared) != fmt.Sprint(want) {
		t.Errorf("%v comparisons, expected %v", compared, want)
	}
	best := map[string]string{} // by column
	for _, row := range out.Tables[0].Blocks[0] {
		for c, e := range row {
			if e.Mark == table.Best {
				best[out.Tables[0].Columns[c].Group+" "+out.Tables[0].Columns[c].Head] = row[0].Text
			}
		}
	}
	lowest := slices.MinFunc(in.Cells[:3], func(a, b results.Cell) int { return compareBy("brier", a, b) })
	if best["new Brier %"] != lowest.Title {
		t.Errorf("best are %v, the lowest Brier score has %s", best, lowest.Title)
	}
}

func compareBy(metric string, a, b results.Cell) int {
	value := func(c results.Cell) float64 {
		for _, r := range c.Rows {
			if r.Metric == metric && r.Split == protocol.Test {
				return float64(r.Mean)
			}
		}
		return math.NaN()
	}
	return int(math.Copysign(1, value(a)-value(b)))
}

// TestCurves: tables have the intervals, and figures the same numbers.
func TestCurves(t *testing.T) {
	var chosen specs.Tables
	for _, id := range curveTables {
		chosen.Show = append(chosen.Show, specs.Table{ID: id})
	}
	_, out := made(t, chosen)
	if len(out.Tables) != len(curveTables) || len(out.Figures) != len(curveTables) {
		t.Fatalf("%d tables and %d figures", len(out.Tables), len(out.Figures))
	}
	for i, id := range curveTables {
		compareText(t, "alerts-"+id, out.Tables[i])
		f := out.Figures[i]
		if f.Name != out.Tables[i].Name || f.Caption == "" {
			t.Errorf("%s: the figure is %q: %q", id, f.Name, f.Caption)
		}
		if _, err := png.Decode(bytes.NewReader(pngOf(t, f))); err != nil || !bytes.Contains(f.SVG, []byte("The ccc")) || bytes.Contains(f.SVG, []byte("The flat")) {
			t.Errorf("%s: a figure without its models, or with one that says nothing (%v)", id, err)
		}
	}
}

// TestCurvesAreWhereThereIsSomething: what a suite does not have is left out.
func TestCurvesAreWhereThereIsSomething(t *testing.T) {
	for _, id := range curveTables {
		out, err := results.Make(results.Input{}, showing(specs.Table{ID: id}))
		if err != nil || len(out.Tables)+len(out.Figures) > 0 {
			t.Errorf("%s: %d tables, %v", id, len(out.Tables), err)
		}
	}
}

// TestOtherTablesStay: metrics that a suite names for one table change no other, and
// no comparison by the headline: p-values are adjusted for the pairs of a metric.
func TestOtherTablesStay(t *testing.T) {
	usual := showing(specs.Table{ID: "nc"})
	in, alone := made(t, usual)
	more, beside := made(t, showing(specs.Table{ID: "nc"}, specs.Table{ID: "nc", Title: "Alerts", Metrics: []string{"ap", "auc"}}, specs.Table{ID: "roc"}))
	var a, b bytes.Buffer
	if err := table.WriteText(&a, table.Screen{Width: 120, AllNotes: true}, alone.Tables[0]); err != nil {
		t.Fatal(err)
	}
	if err := table.WriteText(&b, table.Screen{Width: 120, AllNotes: true}, beside.Tables[0]); err != nil {
		t.Fatal(err)
	}
	if a.String() != b.String() {
		t.Errorf("alone:\n%s\nbeside others:\n%s", a.String(), b.String())
	}
	headline := func(cells []results.Cell) (out []string) {
		for _, c := range results.Comparisons(cells) {
			if c.Metric == "auc" {
				out = append(out, fmt.Sprint(c.CellKey, c.Better, c.Other, c.Difference, c.CILow, c.P, c.Adjusted))
			}
		}
		return out
	}
	if diff := cmp.Diff(headline(in.Cells), headline(more.Cells)); diff != "" {
		t.Errorf("comparisons by the headline (-alone +beside others):\n%s", diff)
	}
}

// TestManyDays are joined to weeks and more.
func TestManyDays(t *testing.T) {
	for days, want := range map[int]string{
		1: "auc@day1-1", 40: "auc@day40-40", 41: "auc@day41-41", 80: "auc@day79-80", 81: "auc@day78-81", 3000: "auc@day2913-3000",
		metrics.MostDays: "auc@day9829-10000",
	} {
		r := record.Record{Key: record.Key{CellKey: record.CellKey{Task: "nc"}}, Data: &record.Data{Parts: make([]record.DataPart, 3)}}
		r.Data.Parts[2].Days = make([]int32, days)
		names := lists.Map(results.Named(showing(specs.Table{ID: "auc-time"}), r), func(m metrics.Metric) string { return m.Name })
		if len(names) > 40 || names[len(names)-1] != want || !strings.HasPrefix(names[0], "auc@day1-") {
			t.Errorf("%d days: %d spans, %s to %s, expected %s", days, len(names), names[0], names[len(names)-1], want)
		}
	}
}

func pngOf(t *testing.T, f figure.Figure) []byte {
	t.Helper()
	data, err := f.PNG()
	if err != nil {
		t.Fatal(err)
	}
	return data
}
