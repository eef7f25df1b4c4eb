package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"dgsbench/internal/escapetest"
	"dgsbench/internal/optional"
	"dgsbench/metrics"
	"dgsbench/results"
	"dgsbench/results/figure"
	"dgsbench/results/record"
	"dgsbench/results/table"
)

// evil is what names are; TestEscapes has it tame for once.
var evil = escapetest.Hostile

// trial is a record of two epochs. seed -1 is a latency test.
func trial(model string, seed int, spec string) record.Record {
	r := record.Record{
		Key:  record.Key{CellKey: record.CellKey{Suite: "s", Dataset: "d" + evil, Task: "nc", Model: model}, Seed: uint64(max(0, seed))},
		Spec: json.RawMessage(spec), Machine: "m" + evil, CodeVersion: "c", Device: "cpu", DataChecksum: "0123", Threads: 1,
		ModelTitle: model + evil, DatasetTitle: evil, BestEpoch: 1,
	}
	if seed >= 0 {
		r.Epochs = []record.Epoch{{Loss: .7, Validation: .5}, {Loss: optional.Number(.5 + .01*float64(seed)), Validation: .6}}
		return r
	}
	h := hdrhistogram.New(1, 1e9, 3)
	for ns := int64(1000); ns <= 100_000; ns += 1000 {
		_ = h.RecordValue(ns)
	}
	text, _ := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	r.Key.Case, r.BestEpoch = "latency", -1
	r.Latency = &record.Latency{Run: "today", Timings: []record.Timing{{Batch: 200, Histogram: string(text)}}}
	return r
}

func folderOf(name string, records ...record.Record) Folder {
	t := table.New(evil, evil)
	t.Name, t.Title = "t", evil
	t.Add(evil, evil)
	return Folder{
		Name: name + evil,
		Report: results.Report{
			Records: records, Warnings: []string{evil}, Tables: []table.Table{t},
			Figures:     []figure.Figure{{Name: "f", Title: evil, Caption: evil, SVG: []byte("<svg></svg>")}},
			Comparisons: []results.Comparison{{CellKey: record.CellKey{Dataset: evil, Task: "nc"}, Metric: "auc", Better: results.Compared{Model: "a"}, Other: results.Compared{Model: "b"}}},
		},
		Searches: []Search{{Model: evil, Dataset: evil, Task: "nc", Metric: metrics.Of("nc")[0], Own: .5, Trials: []Tried{
			{Phase: "random", Value: .6, Options: map[string]string{evil: evil}}, {Number: 1, Phase: "tpe", Value: .55}, {Number: 2, Phase: "tpe", Value: optional.Absent(), Error: evil},
		}}},
	}
}

func written(t *testing.T, p Page) string {
	t.Helper()
	var out bytes.Buffer
	if err := p.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestEscapes: names of all kinds stay text wherever they stand.
func TestEscapes(t *testing.T) {
	defer func() { evil = escapetest.Hostile }()
	pages := func() (out []string) {
		option, err := json.Marshal(evil)
		if err != nil {
			t.Fatal(err)
		}
		spec := `{"options":{"x":` + string(option) + `},"seed":0}`
		one := folderOf("one", trial("a", 0, spec), trial("a", 1, spec), trial("b", -1, spec))
		two := folderOf("two", trial("a", 0, `{"options":{"x":1},"seed":0}`), trial("b", -1, spec))
		for _, folders := range [][]Folder{{one}, {one, two}} {
			out = append(out, written(t, Page{Title: evil, Command: evil, Folders: folders}))
		}
		return out
	}
	hostile, again := pages(), pages()
	evil = escapetest.Harmless
	for i, tame := range pages() {
		escapetest.Plain(t, "the page", hostile[i])
		if diff := cmp.Diff(escapetest.Shape(t, tame), escapetest.Shape(t, hostile[i])); diff != "" {
			t.Errorf("a name is more than text (-harmless +hostile):\n%s", diff)
		}
		if again[i] != hostile[i] {
			t.Error("the second page is not the first")
		}
	}
}

// TestDiffers: the page says in what folders differ, and of which models.
func TestDiffers(t *testing.T) {
	a, b := Folder{Name: "one"}, Folder{Name: "two"}
	a.Records = []record.Record{trial("a", 0, `{"p":{"epochs":3,"list":[1, 2]},"seed":0}`), trial("b", 0, `{"seed":0}`)}
	b.Records = []record.Record{trial("a", 2, `{"p":{"epochs":4,"list":[1,2]},"seed":2}`)}
	b.Records[0].Machine = "other"
	p := Page{Folders: []Folder{a, b}}
	p.label()
	got, err := p.specDifferences()
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, row := range got.Blocks[0] {
		rows = append(rows, row[0].Text+": "+row[1].Text+" / "+row[2].Text)
	}
	if diff := cmp.Diff([]string{"p.epochs: 3 / 4", "seeds: 0 / 2", "seeds: 0 / not measured"}, rows); diff != "" {
		t.Error(diff)
	}
	if got := differing(p.facts(), got); got != "The folders differ in: records; machine; specs or seeds." {
		t.Error(got)
	}
	p.Folders[1].Records = a.Records
	if got, _ := p.specDifferences(); differing(p.facts(), got) != "The folders agree in code, machine, data and specs." {
		t.Error("the same records differ")
	}
}

// TestBins: the bars of a histogram are shares of all batches.
func TestBins(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := hdrhistogram.New(1, 1e9, 3)
		for _, ns := range rapid.SliceOfN(rapid.Int64Range(1, 1e9), 1, 50).Draw(t, "ns") {
			_ = h.RecordValue(ns)
		}
		sum := 0.0
		for _, b := range (timing{histogram: h}).bins(figure.Axis{Min: float64(h.Min()) / 1.1, Max: float64(h.Max()) * 1.1, Scale: figure.Times}) {
			if sum += b.Y.High; b.X.Low >= b.X.High || b.Y.High <= 0 {
				t.Fatalf("%+v", b)
			}
		}
		if math.Abs(sum-100) > 1e-9 {
			t.Fatalf("%g%%", sum)
		}
	})
}

// TestMeanLine goes as far as all lines do.
func TestMeanLine(t *testing.T) {
	got := meanLine([][]figure.Point{{figure.At(1, 2), figure.At(2, 4), figure.At(3, 6)}, {figure.At(1, 4), figure.At(2, 8)}})
	if len(got) != 2 || got[0] != figure.At(1, 3) || got[1] != figure.At(2, 6) {
		t.Errorf("%v", got)
	}
}

// TestShortTitles: what the page says above is not said again at each table.
func TestShortTitles(t *testing.T) {
	f := folderOf("one")
	f.Tables[0].Title, f.Figures[0].Title = "Sizes (Toy)", "Sizes (Other)"
	page := written(t, Page{Title: "Toy", Folders: []Folder{f}})
	if strings.Contains(page, "Sizes (Toy)") || !strings.Contains(page, "Sizes</") || !strings.Contains(page, "Sizes (Other)") {
		t.Error("titles are not shortened, or too many of them")
	}
	if f.Tables[0].Title != "Sizes (Toy)" {
		t.Error("the caller's table has changed")
	}
}

// TestSections: the answer and its figure come first, every dataset has a section
// with all that is about it, and what made the page comes last.
func TestSections(t *testing.T) {
	panels := func(groups ...string) (out []figure.PanelDrawing) {
		for _, g := range groups {
			out = append(out, figure.PanelDrawing{Group: g, Title: g, SVG: []byte("<svg></svg>")})
		}
		return out
	}
	defer func() { evil = escapetest.Hostile }()
	evil = ""
	f := folderOf("one", trial("a", 0, `{"seed":0}`), trial("b", -1, `{"seed":0}`))
	f.Figures = []figure.Figure{
		{Name: "main", Title: "Main", SVG: []byte("<svg></svg>"), Panels: panels("d", "e")},
		{Name: "roc", Title: "ROC", Panels: panels("d", "d", "e")},
		{Name: "ranks", Title: "Ranks", Panels: panels("")},
	}
	p := Page{Folders: []Folder{f}}
	p.label()
	sections, err := p.sections()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range sections {
		line := s.ID + ":"
		for _, part := range s.Parts {
			line += " " + part.ID
			for _, f := range part.Figures {
				line += fmt.Sprintf(" (%d)", len(f.Drawings))
			}
		}
		got = append(got, line)
	}
	want := []string{
		"summary:  figure-A-main (2)",
		"tables: ",
		"dataset-d: figure-A-roc-d (2) curves-d-nc-- latency-d-nc--latency-200",
		"dataset-e: figure-A-roc-e (1)",
		"across: figure-A-ranks (1)",
		"tuning:  tuning--nc--",
		"specs: specs-d-nc-- specs-d-nc--latency",
		"provenance: ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestRunsOfTests: the page says when times were measured, of latency and of live tests.
func TestRunsOfTests(t *testing.T) {
	live := trial("a", 0, `{"seed":0}`)
	live.Key.Case, live.Live = "live", &record.Live{Run: "2026-01-02T03:04:05Z"}
	page := written(t, Page{Folders: []Folder{folderOf("one", live, trial("b", -1, `{"seed":0}`))}})
	for what, start := range map[string]string{"latency measured": "today", "answers under load": "2026-01-02 03:04:05.000 UTC"} {
		if !regexp.MustCompile(">" + what + "</th><td[^>]*>" + start + "<").MatchString(page) {
			t.Errorf("no %s at %s", what, start)
		}
	}
}
