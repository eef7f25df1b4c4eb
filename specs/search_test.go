package specs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dgsbench/protocol"
	"dgsbench/specs"
)

// searchSpec has every kind of parameter.
const searchSpec = `id: toy
model: toy
title: Toy
options: {alpha: 0.5, layers: [8], head: {dropout: 0}}
search:
  - {option: head.lr, title: Rate, low: 1e-4, high: 1, scale: log, source: paper}
  - {option: alpha, title: Alpha, low: 0.1, high: 1, scale: linear, tasks: [nc], source: default, note: ours}
  - {option: alpha, title: Alpha, choices: [0.25], tasks: [lp], default: outside, source: paper}
  - {option: layers, part: length, title: Layers, low: 1, high: 3, scale: int, source: paper}
  - {option: layers, part: item, title: Size, low: 8, high: 12, scale: int, step: 2, source: paper}
  - {option: mode, title: Mode, choices: [fast, slow], tasks: [nc], source: paper}
`

// searchModel reads a spec from a file of its own.
func searchModel(t *testing.T, text string) specs.Model {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "toy.yaml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	lib, err := specs.NewLibrary(dir)
	if err != nil {
		t.Fatal(err)
	}
	m, err := lib.LoadModel("toy")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestSearch(t *testing.T) {
	m := searchModel(t, searchSpec)
	show := func(params []specs.Parameter) (out []string) {
		for _, p := range params {
			out = append(out, p.Name()+": "+p.Range()+" ("+string(p.Source)+")")
		}
		return out
	}
	layers := []string{"layers.length: 1 to 3 (paper)", "layers.item: 8 to 12, step 2 (paper)"}
	rate := "head.lr: 0.0001 to 1, log (paper)"
	for task, want := range map[protocol.Task][]string{
		protocol.NodeClassification: {rate, "alpha: 0.1 to 1 (default)", layers[0], layers[1], "mode: fast or slow (paper)"},
		protocol.LinkPrediction:     {rate, "alpha: 0.25 (paper)", layers[0], layers[1]},
	} {
		if diff := cmp.Diff(want, show(m.SearchFor(task))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", task, diff)
		}
	}
	if got := m.Search(); len(got) != 6 || got[1].Note != "ours" || got[1].Title != "Alpha" {
		t.Errorf("got %d parameters, the second is %+v", len(got), got[1])
	}
}

// A point of the search space lies over the model's own options, and nothing
// else changes.
func TestResolveSearched(t *testing.T) {
	m := searchModel(t, searchSpec)
	values := map[string]any{"head.lr": 0.01, "alpha": 0.7, "layers.length": 2.0, "layers.item": 10.0, "mode": "slow"}
	r, err := m.ResolveSearched(specs.Place{Task: protocol.NodeClassification}, values, "history.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	want := &toyOptions{Alpha: 0.7, Layers: []int{10, 10}, Mode: "slow", Head: toyHead{LR: 0.01}}
	if diff := cmp.Diff(want, r.Options); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for option, wantOrigin := range map[string]specs.Provenance{
		"layers":       {Origin: specs.Tuned, Record: "history.jsonl"},
		"head.dropout": {Origin: specs.Default, File: m.File, Line: 4},
	} {
		if got := r.Origins[option]; got != wantOrigin {
			t.Errorf("%s is from %+v, want %+v", option, got, wantOrigin)
		}
	}
	delete(values, "mode")
	values["alpha"] = 0.25
	r, err = m.ResolveSearched(specs.Place{Task: protocol.LinkPrediction}, values, "history.jsonl")
	if want := (specs.Provenance{Origin: specs.FromPaper, File: m.File, Line: 8}); err != nil || r.Origins["alpha"] != want {
		t.Errorf("alpha, which is set and not searched, is from %+v, want %+v, %v", r.Origins["alpha"], want, err)
	}
}

// The embedded models are searched as in the paper's table of ranges; each
// row of it is one here.
func TestEmbeddedSearch(t *testing.T) {
	lib := embeddedLibrary(t)
	common := "Learning rate: 0.0001 to 0.01, log; Dropout: 0.1 to 0.3; Weight decay: 1e-09 to 0.001, log; Dense layers: 1 to 3; Size of a dense layer: 32 to 256; "
	eta := "DGS learning rate (eta): 0.0001 to 1000, log; "
	blocks := "Number of softmaxes (m): 10, 20, 25 or 50; "
	size := "State size (s): 100; "
	temperature := "Softmax temperature (T): 1 to 10; "
	memory := "Learning rate: 0.0001 to 0.01, log; Weight decay: 1e-09 to 0.001, log; Memory size: 32 to 256; "
	head := "Dropout: 0.1 to 0.3; Dense layers: 1 to 3; Size of a dense layer: 32 to 256; "
	graph := "Neighbours per node: 5 to 10; GNN layers: 1 to 3; Size of a GNN layer: 32 to 256, step 2; Dropout of attention weights: 0.1 to 0.3; "
	for id, want := range map[string]string{
		"raw": common, "graph-sprints": "Alpha: 0.1 to 1; Beta: 0.1 to 1; " + common,
		"dgs": eta + size + blocks + temperature + common, "dgs-bp": eta + size + blocks + temperature + common,
		"dgs-sum": eta + size + blocks + common, "dgs-s": eta + common, "dgs-v": eta + common,
		"tgn-id": memory + head, "jodie": memory + head, "tgn-attn": memory + graph + head,
	} {
		m, err := lib.LoadModel(id)
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for _, p := range m.SearchFor(protocol.NodeClassification) {
			got.WriteString(p.Title + ": " + p.Range() + "; ")
			if p.Source != specs.FromPaper {
				t.Errorf("%s: %s is from %q", id, p.Name(), p.Source)
			}
		}
		if diff := cmp.Diff(want, got.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
	}
	// The state of 250 numbers is divided by 10, 25 and 50 alone.
	dgs, err := lib.LoadModel("dgs")
	if err != nil {
		t.Fatal(err)
	}
	if p := dgs.SearchFor(protocol.LinkPrediction); p[1].Range() != "250" || p[2].Range() != "10, 25 or 50" {
		t.Errorf("in link prediction: size %s, blocks %s", p[1].Range(), p[2].Range())
	}
}

// Only learned models are searched.
func TestOnlyLearnedModelsAreSearched(t *testing.T) {
	lib := embeddedLibrary(t)
	for _, id := range lib.ModelIDs() {
		m, err := lib.LoadModel(id)
		if err != nil {
			t.Fatal(err)
		}
		if m.Kind.Class != protocol.Learned && len(m.Search()) > 0 {
			t.Errorf("%s, which has nothing to learn, has %d parameters", id, len(m.Search()))
		}
	}
}

// What is shown of a model is a spec that says the same.
func TestShowSearch(t *testing.T) {
	text, err := show(embeddedLibrary(t), "dgs", specs.Place{})
	if err != nil {
		t.Fatal(err)
	}
	again := searchModel(t, strings.Replace(text, "id: dgs\n", "id: toy\n", 1))
	want := `  - {option: temperature, title: Softmax temperature (T), low: 1, high: 10, scale: linear, source: paper}`
	if len(again.Search()) != 11 || !strings.Contains(text, want) {
		t.Errorf("%d parameters, want 11 and the line %s in\n%s", len(again.Search()), want, text)
	}
}

// A tuned spec reads as a spec again: at its place the options that were
// found, elsewhere those of before.
func TestTuned(t *testing.T) {
	m := searchModel(t, searchSpec+"variants:\n  wide: {title: Wide, options: {layers: [9, 9]}}\noverrides:\n  - {match: {task: nc}, options: {alpha: 0.6}} # kept\n")
	at := specs.Place{Dataset: "collegemsg", Task: protocol.LinkPrediction, Setting: "T"}
	values := map[string]any{"head.lr": 0.01, "alpha": 0.25, "layers.length": 2.0, "layers.item": 10.0}
	text, err := m.Tuned([]specs.Found{{At: at, Values: values, Record: "toy.jsonl"}}, specs.Model{}, "Tuned by a test.\nTwice.")
	if err != nil {
		t.Fatal(err)
	}
	if want := "# Tuned by a test.\n# Twice.\nid: toy\n"; !strings.HasPrefix(string(text), want) || !strings.Contains(string(text), "# kept") {
		t.Errorf("got\n%s", text)
	}
	again := searchModel(t, string(text))
	r, err := again.Resolve(at, "")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&toyOptions{Alpha: 0.25, Layers: []int{10, 10}, Mode: "fast", Head: toyHead{LR: 0.01}}, r.Options); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if p := r.Origins["layers"]; p.Origin != specs.Tuned || p.Record != "toy.jsonl" {
		t.Errorf("layers are from %+v", p)
	}
	if p := r.Origins["alpha"]; p.Origin != specs.FromPaper || p.Record != "" {
		t.Errorf("alpha, which is set and not searched, is from %+v", p)
	}
	r, err = again.Resolve(specs.Place{Dataset: "mooc", Task: protocol.NodeClassification}, "wide")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&toyOptions{Alpha: 0.6, Layers: []int{9, 9}, Mode: "fast", Head: toyHead{LR: 0.1}}, r.Options); diff != "" {
		t.Errorf("elsewhere (-want +got):\n%s", diff)
	}
	if len(again.Search()) != len(m.Search()) {
		t.Errorf("%d parameters, before %d", len(again.Search()), len(m.Search()))
	}
}

// Tuning again replaces what was found at the same place, and keeps what an
// earlier file has of others.
func TestTunedAgain(t *testing.T) {
	m := searchModel(t, searchSpec)
	found := func(dataset string, rate float64) []specs.Found {
		at := specs.Place{Dataset: dataset, Task: protocol.LinkPrediction, Setting: "T"}
		return []specs.Found{{At: at, Values: map[string]any{"head.lr": rate, "alpha": 0.25, "layers.length": 1.0, "layers.item": 8.0}, Record: "r"}}
	}
	var old specs.Model
	for _, f := range [][]specs.Found{found("mooc", 0.01), found("collegemsg", 0.02), found("mooc", 0.03)} {
		text, err := m.Tuned(f, old, "Tuned.")
		if err != nil {
			t.Fatal(err)
		}
		old = searchModel(t, string(text))
		again, err := old.Tuned(f, old, "Tuned.") // over itself
		if err != nil || string(again) != string(text) {
			t.Errorf("%v, over itself:\n%s\nwant\n%s", err, again, text)
		}
	}
	for dataset, want := range map[string]float64{"mooc": 0.03, "collegemsg": 0.02, "reddit": 0.1} {
		r, err := old.Resolve(specs.Place{Dataset: dataset, Task: protocol.LinkPrediction, Setting: "T"}, "")
		if err != nil || r.Options.(*toyOptions).Head.LR != want {
			t.Errorf("%s: %+v, %v, want a rate of %v", dataset, r.Options, err, want)
		}
	}
}

// TestTunedKeepsOwnChoices: of an override, tuning replaces what comes from a
// search alone; with one value of the user's own, it stays below the new one.
func TestTunedKeepsOwnChoices(t *testing.T) {
	at := specs.Place{Dataset: "mooc", Task: protocol.LinkPrediction, Setting: "T"}
	values := map[string]any{"head.lr": 0.01, "alpha": 0.25, "layers.length": 1.0, "layers.item": 8.0}
	for origin, want := range map[string]string{
		"origin: {head.lr: tuned, mode: tuned}, records: {head.lr: r, mode: r}": "fast",
		"origin: {head.lr: tuned, mode: paper}, records: {head.lr: r}":          "fast",
		"origin: {head.lr: tuned, mode: default}, records: {head.lr: r}":        "slow",
		"origin: {head.lr: paper, mode: paper}":                                 "slow",
	} {
		m := searchModel(t, searchSpec+"overrides:\n  - {match: {dataset: mooc, task: lp, setting: T}, options: {head: {lr: 0.5}, mode: slow}, "+origin+"}\n")
		text, err := m.Tuned([]specs.Found{{At: at, Values: values, Record: "r"}}, specs.Model{}, "Tuned.")
		if err != nil {
			t.Fatal(err)
		}
		r, err := searchModel(t, string(text)).Resolve(at, "")
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Options.(*toyOptions); got.Mode != want || got.Head.LR != 0.01 {
			t.Errorf("%s: %+v, expected mode %s under the tuned rate", origin, got, want)
		}
	}
}
