package results_test

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"dgsbench/protocol"
	"dgsbench/results"
	"dgsbench/results/record"
	"dgsbench/results/record/recordtest"
	"dgsbench/results/table"
	"dgsbench/specs"
)

var (
	attnHead   = results.ModelHead{ID: "tgn-attn", Title: "TGN-attn", Class: protocol.Learned}
	scalarHead = results.ModelHead{ID: "dgs-s", Title: "DGS-s", Class: protocol.Learned}
	vectorHead = results.ModelHead{ID: "dgs-v", Title: "DGS-v", Class: protocol.Learned}
	sumHead    = results.ModelHead{ID: "dgs-sum", Title: "DGS-sum", Class: protocol.Learned}

	shop = results.DatasetHead{ID: "shop-sim", Title: "shop-sim"}
)

// smallSuite is an input in which every table of the catalogue has something:
// two datasets, one of them the paper's, and records of before there were facts
// about models.
func smallSuite(t *testing.T) results.Input {
	t.Helper()
	s := record.Store{Dir: t.TempDir()}
	in := results.Input{
		Subtitle: "small: made up",
		Command:  "bench all --suite small", Source: "specs/small.yaml; 20 records of code version 0123456789ab",
	}
	scored := []results.ModelHead{countHead, oracleHead, rawHead, tgnHead, attnHead, sprintsHead, dgsHead, scalarHead, vectorHead, sumHead}
	data := []results.DatasetHead{wikipedia, shop}
	in.Classification.Models, in.Classification.Datasets = scored, data
	in.Links.Models, in.Links.Datasets, in.Links.Settings = []results.ModelHead{attnHead, dgsHead}, data, []protocol.Setting{"T", "I"}
	in.Links.Candidates = []protocol.CandidateSet{protocol.AllNodes}
	in.Latency.Models, in.Latency.Datasets = []results.ModelHead{rawHead, tgnHead, sprintsHead, dgsHead, sumHead}, data
	for i, m := range scored {
		for k, d := range data {
			in.Cells = append(in.Cells, nc(d.ID, m.ID, 0.6+0.03*float64(i)-0.04*float64(k), 0.0123, 10))
			in.Records = append(in.Records, factRecord(d, "nc", "", m))
		}
	}
	for _, setting := range in.Links.Settings {
		for _, m := range in.Links.Models {
			in.Records = append(in.Records, factRecord(shop, "lp", setting, m))
		}
	}
	var timed []record.Record
	for i, m := range in.Latency.Models {
		timed = append(timed, timedRecord(t, s, shop, m, int64(i+1)))
	}
	in.Timed = readTimes(t, s, timed...)
	in.Ranges = []results.Range{
		{Model: "Graph-Sprints", Title: "Alpha", Tasks: "nc, lp", Values: "0.1 to 1"},
		{Model: "Graph-Sprints", Title: "Dropout", Tasks: "nc", Values: "0.1 to 0.3"},
		{Model: "DGS", Title: "Dropout", Tasks: "nc", Values: "0.1 to 0.3"},
		{Model: "DGS", Title: "Number of softmaxes (m)", Tasks: "nc", Values: "10, 20, 25 or 50", Note: "of 10 to 50, those that divide s"},
		{Model: "DGS", Title: "Our own", Tasks: "nc", Values: "1 or 2"},
	}
	return in
}

// factRecord is a record without scores. Those of Wikipedia are old: they say
// nothing about the model and the data.
func factRecord(d results.DatasetHead, task protocol.Task, setting protocol.Setting, m results.ModelHead) record.Record {
	r := record.Record{
		Key: record.Key{CellKey: record.CellKey{
			Suite: "small", Dataset: d.ID, Task: task, Setting: setting, Model: m.ID,
		}},
		DatasetTitle: "Simulated shop; label: the purchase is disputed", Footnotes: []string{"simulated data"}, NumParams: 4_100,
	}
	if m.ID == "tgn-attn" {
		r.NumParams = 12_345
	}
	if d == wikipedia {
		return r
	}
	r.Data = &record.Data{
		Nodes: 840, Users: 600, Events: 30_000, Features: 16, Positives: 3_000, Labelled: 29_000, Duration: 29.8 * 86_400,
		Parts: []record.DataPart{{Events: 21_000, Positives: 2_135}, {Events: 4_500, Positives: 447}, {Events: 4_500, Positives: 418}},
	}
	r.Parameters, r.StateSize, r.Forgetting = []record.ParameterPart{{Part: "head", Count: 4_100, Head: true}}, 160, 2
	if m.ID == "dgs" {
		r.Parameters = []record.ParameterPart{{Part: "W", Count: 500}, {Part: "head", Count: 3_600, Head: true}}
		r.StateSize, r.Forgetting = 32, 64
	}
	return r
}

// timedRecord writes the record of a latency test whose batches take ms
// milliseconds each.
func timedRecord(t *testing.T, s record.Store, d results.DatasetHead, m results.ModelHead, ms int64) record.Record {
	t.Helper()
	r, times := recordtest.Latency(m.ID, "1")
	r.Key.Dataset, r.Key.Variant, r.PaperName, r.ModelTitle, r.Footnotes = d.ID, m.Variant, d.PaperName, m.Title, []string{"not trained"}
	for _, ns := range times {
		for i := range ns {
			ns[i] += ms * 1e6
		}
	}
	return recordtest.Write(t, s, r, times)
}

// otherTables show nothing of the small suite.
var otherTables = []string{"freshness", "freshness-variants", "tgb", "training", "delay"}

func TestTablesOfTheCatalogue(t *testing.T) {
	in := smallSuite(t)
	for _, id := range results.TableIDs() {
		if id == "latency" || id == "live" || slices.Contains(otherTables, id) || slices.Contains(curveTables, id) { // have tests of their own
			continue
		}
		out, err := results.Make(in, specs.Tables{Show: []specs.Table{{ID: id}}})
		if err != nil || len(out.Tables) != 1 {
			t.Fatalf("%s: %d tables, %v", id, len(out.Tables), err)
		}
		compareLayouts(t, "small-"+id, out.Tables[0])
	}
}

// TestTimesOfStreamingAlone: what was known in advance stands neither beside
// the paper's times nor beside an AUC.
func TestTimesOfStreamingAlone(t *testing.T) {
	in := smallSuite(t)
	for i, r := range in.Timed {
		latency := *r.Latency
		latency.Mode = record.Known
		in.Timed[i].Latency = &latency
	}
	out := makeTables(t, in, "normalisation", "auc-runtime")
	for _, made := range out.Tables {
		for _, row := range slices.Concat(made.Blocks...) {
			for i, e := range row {
				if c := made.Columns[i]; c.Kind == table.Measured && c.Metric == "seconds" && e.Value != nil {
					t.Errorf("%s: %s has %v seconds", made.Name, row[0].Text, e.Value.Mean)
				}
			}
		}
	}
}

// TestTablesHaveDifferentNames: pages and files are called by them.
func TestTablesHaveDifferentNames(t *testing.T) {
	in := smallSuite(t)
	in.Links.Candidates = []protocol.CandidateSet{protocol.AllNodes, protocol.Destinations}
	live, _ := underLoad(t, specs.Live{Arrivals: specs.Poisson, Answers: 20_000})
	in.Loaded, in.Live = live.Loaded, live.Live
	seen := map[string]bool{}
	out := makeTables(t, in, results.TableIDs()...)
	for _, made := range out.Tables {
		if seen[made.Name] || made.Name == "" || strings.Trim(made.Name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			t.Errorf("%q: a second table of that name, or a bad one", made.Name)
		}
		seen[made.Name] = true
	}
	if len(seen) < len(results.TableIDs())-len(curveTables)-len(otherTables) {
		t.Errorf("%d tables", len(seen))
	}
}

func TestChoicesOfTables(t *testing.T) {
	in := smallSuite(t)
	titles := func(c specs.Table) string {
		t.Helper()
		out, err := results.Make(in, specs.Tables{Show: []specs.Table{c}})
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, block := range out.Tables[0].Blocks {
			for _, row := range block {
				names = append(names, row[0].Text)
			}
		}
		return out.Tables[0].Title + ": " + strings.Join(names, ",")
	}
	for _, c := range []struct {
		choice specs.Table
		want   string
	}{
		{specs.Table{ID: "nc", Models: []string{"dgs", "raw"}}, "Node classification, test events (small: made up): DGS,Raw"},
		{
			specs.Table{ID: "nc", Title: "Other", Without: []string{"dgs-s", "dgs-v", "dgs-sum", "raw"}},
			"Other, test events (small: made up): TGN-ID,TGN-attn,Graph-Sprints,DGS,User's event count,Oracle",
		},
	} {
		if got := titles(c.choice); got != c.want {
			t.Errorf("%+v:\n%s, want\n%s", c.choice, got, c.want)
		}
	}
	if _, err := results.Make(in, specs.Tables{Show: []specs.Table{{ID: "tea"}}}); err == nil || !strings.Contains(err.Error(), `unknown table "tea"`) {
		t.Errorf("got %v", err)
	}
	out, err := results.Make(results.Input{}, specs.Tables{Show: []specs.Table{{ID: "nc"}, {ID: "parameters"}, {ID: "auc-runtime"}}})
	if err != nil || len(out.Tables)+len(out.Figures) > 0 {
		t.Errorf("of nothing: %+v, %v", out, err)
	}
}

// TestFigure: what is measured is drawn, with what the paper gives beside it, and
// nothing else; every file can be read.
func TestFigure(t *testing.T) {
	in := smallSuite(t)
	for _, test := range in.Timed {
		if test.Key.Dataset = wikipedia.ID; test.Key.Model == "raw" {
			in.Timed = append(in.Timed, test)
		}
	}
	out, err := results.Make(in, specs.Tables{Show: []specs.Table{{ID: "auc-runtime"}}})
	if err != nil || len(out.Figures) != 1 {
		t.Fatal(len(out.Figures), err)
	}
	f := out.Figures[0]
	texts := svgTexts(t, f.SVG)
	for text, want := range map[string]int{
		"Raw": 2, "DGS": 1, "Graph-Sprints": 1, "TGN-ID": 1, "TGN-attn": 0, // ours
		"DGS, paper": 1, "Graph-Sprints, paper": 1, "TGN-attn, paper": 1, "TGN-ID, paper": 0, "Raw, paper": 0,
		"shop-sim": 1, "Wikipedia": 1, "Mooc": 0, "FI-A": 0,
	} {
		if texts[text] != want {
			t.Errorf("%q is drawn %d times, expected %d", text, texts[text], want)
		}
	}
	if picture, err := png.Decode(bytes.NewReader(pngOf(t, f))); err != nil || picture.Bounds().Dx() < 1000 {
		t.Errorf("the PNG: %v", err)
	}
}

// svgTexts counts the texts of a drawing.
func svgTexts(t *testing.T, svg []byte) map[string]int {
	t.Helper()
	texts := map[string]int{}
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return texts
		}
		if err != nil {
			t.Fatal(err)
		}
		if text, ok := token.(xml.CharData); ok {
			texts[strings.TrimSpace(string(text))]++
		}
	}
}

// TestTableHoldsTheCells: read back from CSV, a table has the means of its
// cells, rounded, and no other numbers.
func TestTableHoldsTheCells(t *testing.T) {
	models := []results.ModelHead{rawHead, tgnHead, dgsHead, countHead}
	data := []results.DatasetHead{amlsim, college, shop}
	rapid.Check(t, func(t *rapid.T) {
		var cells []results.Cell
		want := map[string]string{}
		for _, m := range models {
			for _, d := range data {
				if !rapid.Bool().Draw(t, "measured") {
					continue
				}
				mean := rapid.Float64Range(0, 1).Draw(t, "mean")
				cells = append(cells, nc(d.ID, m.ID, mean, 0.01, 10))
				want[m.Title+d.Title] = fmt.Sprintf("%.2f", 100*mean)
			}
		}
		in := results.Input{Cells: cells, Classification: results.Layout{Models: models, Datasets: data}}
		out, err := results.Make(in, specs.Tables{Show: []specs.Table{{ID: "nc"}}})
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := table.WriteCSV(&text, out.Tables[0]); err != nil {
			t.Fatal(err)
		}
		lines, err := csv.NewReader(&text).ReadAll()
		if err != nil || len(lines) != 1+len(models) {
			t.Fatalf("%d lines, %v", len(lines), err)
		}
		for _, line := range lines[1:] {
			for _, d := range data {
				at := slices.Index(lines[0], d.Title+" AUC %")
				if got := line[at]; got != want[line[1]+d.Title] {
					t.Fatalf("%s on %s: %q, want %q", line[1], d.Title, got, want[line[1]+d.Title])
				}
			}
		}
	})
}

// TestStandIns: a simulator in the place of a closed dataset is shown as
// differences to the model that the paper counts from, beside the paper's; in
// other tables its values are its own.
func TestStandIns(t *testing.T) {
	bank := results.DatasetHead{ID: "fi-a-sim", Title: "fi-a-sim"}
	in := results.Input{
		Cells:          []results.Cell{nc("fi-a-sim", "raw", 0.7, 0.01, 10), nc("fi-a-sim", "dgs", 0.75, 0.02, 10), nc("fi-a-sim", "tgn-id", 0.68, 0.03, 10)},
		Classification: results.Layout{Models: []results.ModelHead{rawHead, tgnHead, dgsHead, jodieHead}, Datasets: []results.DatasetHead{bank}},
	}
	out := makeTables(t, in, "nc")
	compareLayouts(t, "nc-stand-in", out.Tables[0])
	out, err := results.Make(in, specs.Tables{Show: []specs.Table{{ID: "nc", Without: []string{"raw"}}}})
	if err != nil {
		t.Fatal(err)
	}
	if got := out.Tables[0].Blocks[0][1][2].Value; got == nil || math.Abs(float64(got.Mean)-5) > 1e-9 {
		t.Errorf("DGS less Raw, which is not shown: %+v, want 5", got)
	}
	groups := map[string]bool{}
	for _, c := range out.Tables[0].Columns {
		groups[c.Group] = true
	}
	if len(groups) != 2 || !groups["fi-a-sim"] { // and the columns of no dataset
		t.Errorf("datasets %v", groups)
	}
}

// notesOf are the footnotes of all heads and of the row of a name, once each.
func notesOf(t *testing.T, made table.Table, name string) string {
	t.Helper()
	var numbers []int
	for _, c := range made.Columns {
		numbers = append(numbers, c.Notes...)
	}
	for _, row := range slices.Concat(made.Blocks...) {
		for _, e := range row {
			if row[0].Text == name {
				numbers = append(numbers, e.Notes...)
			}
		}
	}
	slices.Sort(numbers)
	var texts []string
	for _, n := range slices.Compact(numbers) {
		texts = append(texts, made.Notes[n-1])
	}
	return strings.Join(texts, "; ")
}

// TestTradeOffKeepsFootnotes: what other tables say of a cell or of a latency
// test stands in this one too, and a figure says of simulated data that it is.
func TestTradeOffKeepsFootnotes(t *testing.T) {
	in := smallSuite(t)
	version := results.DatasetHead{ID: "wikipedia-nofeat", Title: "wikipedia-nofeat", PaperName: "Wikipedia"}
	in.Classification.Datasets = []results.DatasetHead{version, shop}
	for i := range in.Cells {
		c := &in.Cells[i]
		c.Notes, c.Stale, c.Duplicates = []string{"simulated data (made up)"}, true, []string{"as another model"}
		if c.Rising, c.Positives = c.Seeds, 12; c.Model == "dgs" {
			c.Failures = []string{"it broke"}
		}
		if c.Dataset == wikipedia.ID {
			c.Dataset, c.Rows[0].Dataset = version.ID, version.ID
		}
	}
	out := makeTables(t, in, "auc-runtime")
	for name, want := range map[string][]string{
		"Raw": {
			"simulated data (made up)", "only 12 positive events", "still rose", "as another model", "stale records", "not trained",
			"of which wikipedia-nofeat is another version",
		},
		"DGS": {"1 of 11 seeds failed: it broke"},
	} {
		for _, text := range want {
			if got := notesOf(t, out.Tables[0], name); !strings.Contains(got, text) {
				t.Errorf("%s: no %q in %q", name, text, got)
			}
		}
	}
	if texts := svgTexts(t, out.Figures[0].SVG); texts["shop-sim, simulated"] != 1 {
		t.Errorf("the figure says %v", texts)
	}
}

// TestFailedLatencyTests are dashes with the reason wherever times are shown.
func TestFailedLatencyTests(t *testing.T) {
	in := smallSuite(t)
	for i := range in.Timed {
		if in.Timed[i].Key.Model == "dgs" {
			in.Timed[i].Error = "it broke"
		}
	}
	for id, row := range map[string]string{"auc-runtime": "DGS", "normalisation": "shop-sim"} {
		made := makeTables(t, in, id).Tables[0]
		if got := notesOf(t, made, row); !strings.Contains(got, "the latency test failed: it broke") {
			t.Errorf("%s: footnotes %q", id, got)
		}
	}
}

// TestAspectsAreOfOneTask: a model may have other sizes in another task.
func TestAspectsAreOfOneTask(t *testing.T) {
	in := smallSuite(t)
	want := makeTables(t, in, "gs-dgs").Tables[0]
	other := factRecord(shop, "lp", "T", dgsHead)
	other.StateSize = 250
	in.Records = append([]record.Record{other}, in.Records...)
	if diff := cmp.Diff(want, makeTables(t, in, "gs-dgs").Tables[0]); diff != "" {
		t.Error(diff)
	}
}

// TestSizesByDataset: where a model keeps more of a node on one dataset than on
// another, the footnote names both.
func TestSizesByDataset(t *testing.T) {
	in := smallSuite(t)
	for i := range in.Cells {
		switch c := &in.Cells[i]; c.Model {
		case "dgs":
			c.State, c.Class = 32, protocol.Learned
		case "graph-sprints":
			c.State, c.Class = map[string]int{wikipedia.ID: 34, shop.ID: 160}[c.Dataset], protocol.Learned
		}
	}
	const want = "numbers kept of a node: graph-sprints 34 (Wikipedia), graph-sprints 160 (shop-sim), dgs 32"
	if notes := makeTables(t, in, "nc").Tables[0].Notes; !slices.ContainsFunc(notes, func(n string) bool { return strings.HasSuffix(n, want) }) {
		t.Errorf("expected %q at the end of one of %q", want, notes)
	}
}

// TestLegendOfSpeeds: it explains what the table has.
func TestLegendOfSpeeds(t *testing.T) {
	in := smallSuite(t)
	for _, data := range [][]results.DatasetHead{{wikipedia, shop}, {shop}} {
		in.Latency.Datasets = data
		legend := strings.Join(makeTables(t, in, "normalisation").Tables[0].Legend, "; ")
		for _, line := range []string{"paper: ", "no value"} {
			if got, want := strings.Contains(legend, line), len(data) > 1; got != want {
				t.Errorf("%d datasets: %q in the legend %q: %t, expected %t", len(data), line, legend, got, want)
			}
		}
	}
}
