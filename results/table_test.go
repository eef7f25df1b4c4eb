package results_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dgsbench/internal/golden"
	"dgsbench/internal/optional"
	"dgsbench/protocol"
	"dgsbench/results"
	"dgsbench/results/record"
	"dgsbench/results/table"
	"dgsbench/specs"
)

// nc is a cell of node classification, of a model that finished all seeds.
func nc(dataset, model string, mean, std float64, seeds int) results.Cell {
	c := results.Cell{
		CellKey: record.CellKey{Suite: "made-up", Dataset: dataset, Task: "nc", Model: model},
		Device:  "cpu", Seeds: seeds, Positives: 200,
	}
	c.Rows = []results.Row{newRow(c, "", "auc", mean, std)}
	return c
}

// lp is a cell of link prediction with both candidate sets.
func lp(dataset string, setting protocol.Setting, model string, mrr, std float64, seeds int) results.Cell {
	c := results.Cell{
		CellKey: record.CellKey{Suite: "made-up", Dataset: dataset, Task: "lp", Setting: setting, Model: model},
		Device:  "cpu", Seeds: seeds,
	}
	for _, candidates := range []protocol.CandidateSet{protocol.AllNodes, protocol.Destinations} {
		c.Rows = append(c.Rows, newRow(c, candidates, "mrr", mrr, std), newRow(c, candidates, "recall@10", mrr+0.125, std))
	}
	return c
}

func newRow(c results.Cell, candidates protocol.CandidateSet, metric string, mean, std float64) results.Row {
	r := results.Row{
		CellKey: c.CellKey, Candidates: candidates, Split: protocol.Test, Device: "cpu", Metric: metric, Unit: "1",
		Mean: optional.Number(mean), Std: optional.Number(std), N: c.Seeds,
		CILow: optional.Number(mean - 0.0211), CIHigh: optional.Number(mean + 0.0187),
	}
	if c.Seeds < 3 {
		r.Std = optional.Absent()
	}
	return r
}

var (
	rawHead     = results.ModelHead{ID: "raw", Title: "Raw", Class: protocol.Learned}
	tgnHead     = results.ModelHead{ID: "tgn-id", Title: "TGN-ID", Class: protocol.Learned}
	jodieHead   = results.ModelHead{ID: "jodie", Title: "Jodie", Class: protocol.Learned}
	sprintsHead = results.ModelHead{ID: "graph-sprints", Title: "Graph-Sprints", Class: protocol.Learned}
	dgsHead     = results.ModelHead{ID: "dgs", Title: "DGS", Class: protocol.Learned}
	countHead   = results.ModelHead{ID: "user-count", Title: "User's event count", Class: protocol.ZeroParameter}
	bankHead    = results.ModelHead{ID: "edgebank", Title: "EdgeBank", Class: protocol.ZeroParameter}
	windowHead  = results.ModelHead{ID: "edgebank", Variant: "tw", Title: "EdgeBank, time window", Class: protocol.ZeroParameter}
	oracleHead  = results.ModelHead{ID: "oracle", Title: "Oracle", Class: protocol.Oracle}

	wikipedia = results.DatasetHead{ID: "wikipedia", Title: "Wikipedia", PaperName: "Wikipedia"}
	bareWiki  = results.DatasetHead{ID: "wikipedia-nofeat", Title: "Wikipedia without features", PaperName: "Wikipedia"}
	mooc      = results.DatasetHead{ID: "mooc", Title: "MOOC", PaperName: "MOOC"}
	amlsim    = results.DatasetHead{ID: "amlsim-20k", Title: "AMLSim"}
	college   = results.DatasetHead{ID: "collegemsg", Title: "CollegeMsg"}
)

// with changes a cell.
func with(c results.Cell, change func(*results.Cell)) results.Cell {
	change(&c)
	return c
}

func noted(notes ...string) func(*results.Cell) {
	return func(c *results.Cell) { c.Notes = notes }
}

// ncTables are node classification tables for each awkward case.
var ncTables = map[string]struct {
	layout results.Layout
	cells  []results.Cell
}{
	"one-seed": {
		results.Layout{
			Models:   []results.ModelHead{rawHead, sprintsHead},
			Datasets: []results.DatasetHead{amlsim},
		},
		[]results.Cell{nc("amlsim-20k", "raw", 0.8689, 0, 1), nc("amlsim-20k", "graph-sprints", 0.8770, 0, 1)},
	},
	"failed-seed": {
		results.Layout{
			Models:   []results.ModelHead{rawHead, tgnHead, dgsHead},
			Datasets: []results.DatasetHead{amlsim},
		},
		[]results.Cell{
			nc("amlsim-20k", "raw", 0.8689, 0.0003, 10),
			with(nc("amlsim-20k", "tgn-id", 0.9316, 0.0034, 8), func(c *results.Cell) {
				c.Failures = []string{"score of event 117 is NaN", "score of event 117 is NaN"}
			}),
			with(nc("amlsim-20k", "dgs", 0, 0, 0), func(c *results.Cell) {
				c.Rows, c.Failures = nil, []string{"out of memory", "loss of batch 3 is NaN"}
			}),
		},
	},
	"ties": {
		results.Layout{
			Models:   []results.ModelHead{rawHead, sprintsHead, tgnHead, dgsHead},
			Datasets: []results.DatasetHead{amlsim},
		},
		[]results.Cell{
			nc("amlsim-20k", "raw", 0.86891, 0.0003, 5), nc("amlsim-20k", "graph-sprints", 0.91003, 0.0012, 5),
			nc("amlsim-20k", "tgn-id", 0.90998, 0.0034, 5), nc("amlsim-20k", "dgs", 0.86894, 0.0004, 5),
		},
	},
	"missing-cell": {
		results.Layout{
			Models:   []results.ModelHead{rawHead, sprintsHead, dgsHead, countHead, oracleHead},
			Datasets: []results.DatasetHead{wikipedia, amlsim},
		},
		[]results.Cell{
			with(nc("wikipedia", "raw", 0.5912, 0.0113, 10), noted("simulated data")),
			with(nc("wikipedia", "dgs", 0.8871, 0.0205, 10), func(c *results.Cell) { c.Stale = true }),
			nc("amlsim-20k", "raw", 0.8689, 0.0003, 10), nc("amlsim-20k", "graph-sprints", 0.8770, 0.0014, 5),
			with(nc("amlsim-20k", "user-count", 0, 0, 1), func(c *results.Cell) {
				c.Positives = 0
				c.Rows[0].Mean, c.Rows[0].CILow, c.Rows[0].CIHigh = optional.Absent(), optional.Absent(), optional.Absent()
			}),
			nc("wikipedia", "oracle", 0.9912, 0, 1),
		},
	},
	"zero-parameter-only": {
		results.Layout{
			Models:   []results.ModelHead{countHead},
			Datasets: []results.DatasetHead{bareWiki},
		},
		[]results.Cell{nc("wikipedia-nofeat", "user-count", 0.8957, 0, 1)},
	},
	"paper-values": {
		results.Layout{
			Models:   []results.ModelHead{rawHead, tgnHead, jodieHead, sprintsHead, dgsHead, countHead},
			Datasets: []results.DatasetHead{bareWiki, mooc},
		},
		func() []results.Cell {
			bare := noted("the 172 edit features are absent from this file")
			few := func(c *results.Cell) { bare(c); c.Positives = 17 }
			return []results.Cell{
				with(nc("wikipedia-nofeat", "raw", 0.6052, 0.0101, 10), few), with(nc("wikipedia-nofeat", "tgn-id", 0.7234, 0.0145, 10), few),
				with(nc("wikipedia-nofeat", "jodie", 0.7301, 0.0122, 10), few), with(nc("wikipedia-nofeat", "graph-sprints", 0.8712, 0.0071, 10), few),
				with(nc("wikipedia-nofeat", "dgs", 0.8833, 0.0092, 10), few), with(nc("wikipedia-nofeat", "user-count", 0.8957, 0, 1), few),
				nc("mooc", "raw", 0.6201, 0.0089, 10), nc("mooc", "tgn-id", 0.8555, 0.0079, 10), nc("mooc", "jodie", 0.8621, 0.0044, 9),
				nc("mooc", "graph-sprints", 0.7498, 0.0021, 10), nc("mooc", "dgs", 0.7912, 0.0061, 10), nc("mooc", "user-count", 0.5311, 0, 1),
			}
		}(),
	},
}

func TestNodeClassificationTables(t *testing.T) {
	for name, c := range ncTables {
		t.Run(name, func(t *testing.T) {
			out := makeTables(t, results.Input{Cells: c.cells, Classification: c.layout, Command: "bench tables --suite made-up"}, "nc")
			compareLayouts(t, "nc-"+name, out.Tables[0])
		})
	}
}

// lpCells has every model on two datasets in T, and on the first in I.
func lpCells() []results.Cell {
	var cells []results.Cell
	for i, m := range []string{"tgn-id", "jodie", "graph-sprints", "dgs"} {
		cells = append(cells,
			lp("wikipedia", "T", m, 0.4612+0.0371*float64(i), 0.0213, 10),
			lp("mooc", "T", m, 0.1534-0.0222*float64(i), 0.0655, 10),
			lp("wikipedia", "I", m, 0.5921-0.0112*float64(i%2), 0.0254, 10))
	}
	cells = append(cells, lp("wikipedia", "T", "edgebank", 0.4944, 0, 1), lp("mooc", "T", "edgebank", 0.0744, 0, 1),
		lp("wikipedia", "I", "edgebank", 0.4611, 0, 1))
	window := lp("wikipedia", "T", "edgebank", 0.5711, 0, 1)
	window.Variant = "tw"
	return append(cells, window)
}

func TestLinkPredictionTables(t *testing.T) {
	layout := results.Layout{
		Models:   []results.ModelHead{tgnHead, jodieHead, sprintsHead, dgsHead, bankHead, windowHead},
		Datasets: []results.DatasetHead{wikipedia, mooc},
		Settings: []protocol.Setting{"T", "I"}, Candidates: []protocol.CandidateSet{protocol.AllNodes, protocol.Destinations},
	}
	in := results.Input{Cells: lpCells(), Links: layout, Command: "bench tables --suite made-up"}
	compareLayouts(t, "lp", makeTables(t, in, "lp").Tables[0])
	layout.Models, layout.Candidates = layout.Models[4:], layout.Candidates[:1]
	layout.Datasets = []results.DatasetHead{bareWiki, college}
	in.Cells, in.Links = []results.Cell{lp("wikipedia-nofeat", "T", "edgebank", 0.4944, 0, 1)}, layout
	compareLayouts(t, "lp-zero-parameter-only", makeTables(t, in, "lp").Tables[0])
}

// makeTables makes what has the given names in the catalogue.
func makeTables(t *testing.T, in results.Input, ids ...string) results.Output {
	t.Helper()
	var chosen specs.Tables
	for _, id := range ids {
		chosen.Show = append(chosen.Show, specs.Table{ID: id})
	}
	out, err := results.Make(in, chosen)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// compareLayouts compares each layout with its file in testdata/tables.
func compareLayouts(t *testing.T, name string, made table.Table) {
	t.Helper()
	for ending, write := range map[string]func(io.Writer) error{
		".txt":  func(w io.Writer) error { return table.WriteText(w, table.Screen{Width: 120}, made) },
		".ansi": func(w io.Writer) error { return table.WriteText(w, table.Screen{Width: 120, Terminal: true}, made) },
		".md":   func(w io.Writer) error { return table.WriteMarkdown(w, made) },
		".csv":  func(w io.Writer) error { return table.WriteCSV(w, made) },
		".tex":  func(w io.Writer) error { return table.WriteLaTeX(w, []table.Table{made}) },
		".html": func(w io.Writer) error {
			text, err := made.HTML()
			io.WriteString(w, string(text))
			return err
		},
	} {
		var got bytes.Buffer
		if err := write(&got); err != nil {
			t.Fatal(err)
		}
		golden.Compare(t, filepath.Join("testdata", "tables", name+ending), got.String())
	}
}

func TestTextFitsATerminal(t *testing.T) {
	files, err := filepath.Glob("testdata/tables/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no tables (%v)", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if n := len([]rune(line)); n > 120 {
				t.Errorf("%s:%d: %d columns wide, want at most 120", file, i+1, n)
			}
		}
	}
}

func TestTwoResultsForOnePlace(t *testing.T) {
	a, b := nc("mooc", "raw", 0.6, 0, 1), nc("mooc", "raw", 0.7, 0, 1)
	b.Device = "cuda"
	in := results.Input{Cells: []results.Cell{a, b}, Classification: results.Layout{Models: []results.ModelHead{rawHead}}}
	_, err := results.Make(in, specs.Tables{Show: []specs.Table{{ID: "nc"}}})
	if err == nil || !strings.Contains(err.Error(), "on cpu") || !strings.Contains(err.Error(), "on cuda") {
		t.Errorf("got %v, want both named", err)
	}
}
