package specs_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dgsbench/datasets"
	_ "dgsbench/models/standard"
	"dgsbench/protocol"
	"dgsbench/specs"
)

func embeddedLibrary(t *testing.T) *specs.Library {
	t.Helper()
	lib, err := specs.NewLibrary("")
	if err != nil {
		t.Fatal(err)
	}
	return lib
}

// Every embedded model spec is right, is named after its file and leaves no
// option to the code's defaults: the file is the published setting.
func TestEmbeddedModels(t *testing.T) {
	lib := embeddedLibrary(t)
	for _, id := range lib.ModelIDs() {
		t.Run(id, func(t *testing.T) {
			m, err := lib.LoadModel(id)
			if err != nil {
				t.Fatal(err)
			}
			if want := "specs/models/" + id + ".yaml"; filepath.ToSlash(m.File) != want {
				t.Errorf("stands in %s, want %s", m.File, want)
			}
			if page, err := os.ReadFile(filepath.Join("..", m.Page)); err != nil || !strings.Contains(string(page), id) {
				t.Errorf("its page %q does not name it: %v", m.Page, err)
			}
			for _, variant := range append(m.Variants(), "") {
				r, err := m.Resolve(specs.Place{}, variant)
				if err != nil {
					t.Fatal(err)
				}
				for option, p := range r.Origins {
					if p.File == "" {
						t.Errorf("%s: option %s is not in the file", specs.JoinRef(id, variant), option)
					}
					if (p.Origin == specs.Tuned) != (p.Record != "") {
						t.Errorf("%s: option %s is %q with record %q", specs.JoinRef(id, variant), option, p.Origin, p.Record)
					}
				}
			}
		})
	}
}

// Every embedded suite is right and documented, and no two of its trials are
// the same.
func TestEmbeddedSuites(t *testing.T) {
	lib := embeddedLibrary(t)
	text, err := os.ReadFile(filepath.Join("..", "docs", "suites.md"))
	if err != nil {
		t.Fatal(err)
	}
	page, _, _ := strings.Cut(string(text), "## What a suite may hold")
	for _, name := range lib.SuiteNames() {
		t.Run(name, func(t *testing.T) {
			s, err := lib.LoadSuite(name)
			if err != nil {
				t.Fatal(err)
			}
			if want := "specs/suites/" + name + ".yaml"; filepath.ToSlash(s.File) != want {
				t.Errorf("stands in %s, want %s", s.File, want)
			}
			if !strings.Contains(page, "`"+name+"`") {
				t.Error("docs/suites.md does not name it")
			}
			trials, err := s.Trials(specs.Filter{})
			if err != nil || len(trials) == 0 {
				t.Fatalf("%d trials, %v", len(trials), err)
			}
			seen := map[string]string{}
			for _, trial := range trials {
				id := trial.Identity("sum", 1, "cpu")
				if other, twice := seen[id]; twice {
					t.Errorf("same identity: %s and %s", other, trial.JSON())
				}
				seen[id] = string(trial.JSON())
			}
		})
	}
}

// The suite that is compared with PyTorch runs exactly what was measured
// there.
func TestTorchNC(t *testing.T) {
	s, err := embeddedLibrary(t).LoadSuite("torch-nc")
	if err != nil {
		t.Fatal(err)
	}
	trials, err := s.Trials(specs.Filter{Seeds: 1})
	if err != nil {
		t.Fatal(err)
	}
	head := `"head":{"dropout":0.1,"hidden":[100],"lr":0.001,"norm":"none","pos_weight":1,"weight_decay":0}`
	protocol := `"protocol":{"batch":200,"candidates":["all_nodes","destinations"],"epochs":25,"filter":"none",` +
		`"patience":0,"select":"best","test_state":["replay"],"train_negatives":"train_destinations","val_negatives":0}`
	dgs := func(gradient, eta string) string {
		return `"options":{"blocks":50,"buckets":10,"embedding":"softmax","factors":"vector","gradient":"` + gradient + `",` + head +
			`,"jacobian":"float32","optimiser":{"lr":` + eta + `,"method":"sgd","momentum":0,"weight_decay":0},"range":"sigmoid","size":100,"sum_floor":0.001,"temperature":2}`
	}
	want := map[string]string{
		"raw":           `"options":{` + head + `}`,
		"graph-sprints": `"options":{"alpha":0.5,"beta":0.8,"buckets":10,` + head + `}`,
		"dgs":           dgs("forward", "30"),
		"dgs+eta-200":   dgs("forward", "200"),
		"dgs-bp":        dgs("truncated", "30"),
		"tgn-id":        `"memory":{"cell":"gru","size":100,"time":100}`,
	}
	for _, trial := range trials {
		for _, part := range []string{want[trial.Ref()], protocol} {
			if got := string(trial.JSON()); part == "" || !strings.Contains(got, part) {
				t.Errorf("%s: want %s in\n%s", trial.Ref(), part, got)
			}
		}
	}
	if len(trials) != len(want) || s.Seeds != 5 {
		t.Errorf("%d models, %d seeds, want %d and 5", len(trials), s.Seeds, len(want))
	}
}

// TestPaperStates: the paper's states have 100 numbers in node classification
// and 250 in link prediction, and so have those of Deep-Graph-Sprints, trained or
// frozen, in all suites whose tables show them beside the paper's.
func TestPaperStates(t *testing.T) {
	lib := embeddedLibrary(t)
	want := map[protocol.Task]int{protocol.NodeClassification: 100, protocol.LinkPrediction: 250}
	seen := map[protocol.Task]int{}
	for _, name := range lib.SuiteNames() {
		s, err := lib.LoadSuite(name)
		if err != nil {
			t.Fatal(err)
		}
		trials, err := s.Trials(specs.Filter{Seeds: 1})
		if err != nil {
			t.Fatal(err)
		}
		scored := specs.Scored(trials)
		for _, trial := range scored {
			d, err := datasets.Lookup(trial.Dataset)
			if err != nil {
				t.Fatal(err)
			}
			if ref := trial.Ref(); d.PaperName == "" || ref != "dgs" && ref != "dgs+frozen" {
				continue
			}
			seen[trial.Task]++
			var facts struct{ Options struct{ Size, Blocks int } }
			if err := json.Unmarshal(trial.JSON(), &facts); err != nil || facts.Options.Size != want[trial.Task] || facts.Options.Blocks != 50 {
				t.Errorf("suite %s: %s on %s, %s: %+v, %v", name, trial.Ref(), trial.Dataset, trial.Task, facts, err)
			}
		}
	}
	if seen[protocol.NodeClassification] == 0 || seen[protocol.LinkPrediction] == 0 {
		t.Errorf("no such trials: %v", seen)
	}
}

// TestDerivedFeatures: the suite that compares features from before the event
// and from before its batch compares nothing else.
func TestDerivedFeatures(t *testing.T) {
	lib, err := specs.NewLibrary("../docs/derived-features")
	if err != nil {
		t.Fatal(err)
	}
	s, err := lib.LoadSuite("derived")
	if err != nil {
		t.Fatal(err)
	}
	trials, err := s.Trials(specs.Filter{Seeds: 1})
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]specs.Trial{}
	for _, trial := range trials {
		of[trial.Dataset+" "+trial.ModelID] = trial
	}
	for at, trial := range of {
		if strings.HasSuffix(at, "-before") {
			continue
		}
		want := trial.Protocol
		want.DerivedFeatures = specs.BeforeBatch
		before := of[at+"-before"]
		if diff := cmp.Diff(want, before.Protocol) + cmp.Diff(trial.Options, before.Options); diff != "" || trial.Task != before.Task || trial.Setting != before.Setting {
			t.Errorf("%s: %s", at, diff)
		}
	}
	if len(of) != 20 {
		t.Errorf("%d models, want 10 twice", len(of))
	}
}

// A suite with tuned: true has what the project's searches found, unless that is
// left out; models of the user's own stay as they are.
func TestTunedSuite(t *testing.T) {
	const suite = "name: mine\ntitle: Mine\ntuned: true\nruns:\n  - {task: nc, datasets: [shop-sim], models: [dgs, dgs+frozen]}\n"
	load := func(untuned bool, files ...string) (specs.Suite, error) {
		lib := embeddedLibrary(t)
		lib.Untuned = untuned
		for _, text := range files {
			if _, err := lib.Add("mine.yaml", []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		return lib.LoadSuite("mine")
	}
	own, err := os.ReadFile("models/dgs.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		untuned bool
		files   []string
		tuned   bool
	}{
		"tuned":   {false, []string{suite}, true},
		"untuned": {true, []string{suite}, false},
		"own":     {false, []string{suite + "  - {task: nc, datasets: [shop-sim], models: [raw]}\n", string(own)}, false},
	} {
		s, err := load(test.untuned, test.files...)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		trials, err := s.Trials(specs.Filter{Seeds: 1, Models: []string{"dgs"}})
		if err != nil || !s.Tuned || len(trials) != 2 {
			t.Fatalf("%s: %v, %d trials", name, err, len(trials))
		}
		for _, trial := range trials {
			if got := trial.Origins["head.lr"].Origin == specs.Tuned; got != test.tuned {
				t.Errorf("%s: %s has head.lr of origin %+v", name, trial.Ref(), trial.Origins["head.lr"])
			}
		}
	}
	if _, err := load(false, strings.ReplaceAll(suite, "shop-sim", "reddit-sim")); err == nil || !strings.Contains(err.Error(), "no model was tuned") {
		t.Errorf("where nothing was tuned: %v", err)
	}
}
