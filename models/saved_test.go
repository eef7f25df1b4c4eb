package models_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dgsbench/models"
	"dgsbench/models/dgs"
	"dgsbench/models/heuristic"
	"dgsbench/protocol"
)

// specOf is the spec of a checkpoint.
func specOf(t testing.TB, kind string, task protocol.Task, options string) string {
	t.Helper()
	return fmt.Sprintf(`{"kind": %q, "task": %q, "options": %s}`, kind, task, options)
}

// saved writes a checkpoint of a trained model.
func (s subject) saved(t testing.TB, options string) (path string, m models.Model) {
	t.Helper()
	m = s.trained(t)
	setup := s.setup(1)
	file := models.Save(m, s.kind, setup, s.kind.Options(), specOf(t, s.kind.Name, s.task, options))
	file.Events = stream.Len() - batch
	data, err := file.Encode()
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "model.safetensors")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path, m
}

// fitted are kinds whose options take something of the training part that the
// default ones do not.
func fitted(t *testing.T) (out []subject) {
	t.Helper()
	for name, options := range map[string]func(models.Options){
		"dgs":      func(o models.Options) { o.(*dgs.Options).Embedding = dgs.Buckets },
		"edgebank": func(o models.Options) { o.(*heuristic.EdgeBankOptions).Window = .1 },
	} {
		kind, err := models.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		defaults := kind.Options
		kind.Options = func() models.Options { o := defaults(); options(o); return o }
		for _, task := range kind.Tasks {
			out = append(out, subject{kind, task})
		}
	}
	return out
}

// TestSaved: every registered model is built again from its file alone, with room for more
// nodes, and gives the same scores.
func TestSaved(t *testing.T) {
	for _, s := range append(subjects(t), fitted(t)...) {
		t.Run(s.String(), func(t *testing.T) {
			options := map[string]string{"edgebank": `{"window": 0.1}`, "dgs": `{"embedding": "buckets"}`}[s.kind.Name]
			if fmt.Sprint(s.kind.Options()) == fmt.Sprint(mustLookup(t, s.kind.Name).Options()) {
				options = `{}`
			}
			path, m := s.saved(t, options)
			file, err := models.ReadSaved(path)
			if err != nil {
				t.Fatal(err)
			}
			again, setup, err := file.Build(stream.NumNodes+5, batch, 1)
			if err != nil {
				t.Fatal(err)
			}
			if want, got := s.scores(t, m), s.scores(t, again); !slices.Equal(want, got) {
				t.Fatalf("scores %v, expected %v", got, want)
			}
			if setup.NumNodes != stream.NumNodes+5 || file.Events != stream.Len()-batch {
				t.Errorf("%d nodes, %d events", setup.NumNodes, file.Events)
			}
			b := stream.Slice(stream.Len()-1, stream.Len()).WithoutLabels()
			b.Src, b.NumNodes = []int32{int32(stream.NumNodes + 4)}, setup.NumNodes
			if err := again.Observe(b); err != nil {
				t.Errorf("a new node: %v", err)
			}
		})
	}
}

func mustLookup(t *testing.T, name string) models.Kind {
	t.Helper()
	kind, err := models.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return kind
}

// TestSavedIsUntrusted: what a file claims of its model is an error, and takes no memory.
func TestSavedIsUntrusted(t *testing.T) {
	for _, name := range []string{"graphsprints", "jodie", "raw"} {
		s := subject{mustLookup(t, name), protocol.NodeClassification}
		path, _ := s.saved(t, "{}")
		snapshot, metadata, err := models.ReadCheckpoint(path)
		if err != nil {
			t.Fatal(err)
		}
		for what, edit := range map[string]func(about map[string]any){
			"nodes":     func(a map[string]any) { a["nodes"] = math.MaxInt32 },
			"no nodes":  func(a map[string]any) { a["nodes"] = 0 },
			"features":  func(a map[string]any) { a["features"] = math.MaxInt32 },
			"one less":  func(a map[string]any) { a["features"] = stream.NumFeat - 1 },
			"no fit":    func(a map[string]any) { delete(a, "fitted") },
			"other fit": func(a map[string]any) { a["fitted"] = [][]float64{{1, 0}} },
			"descends":  func(a map[string]any) { a["fitted"] = slices.Repeat([][]float64{{2, 1}}, stream.NumFeat) },
			"no number": func(a map[string]any) { a["nodes"] = "many" },
			"a long list": func(a map[string]any) {
				a["fitted"] = slices.Repeat([][]float64{make([]float64, 1000)}, stream.NumFeat)
			},
		} {
			about := map[string]any{}
			if err := json.Unmarshal([]byte(metadata["model"]), &about); err != nil {
				t.Fatal(err)
			}
			edit(about)
			text, err := json.Marshal(about)
			if err != nil {
				t.Fatal(err)
			}
			edited := map[string]string{models.SpecKey: metadata[models.SpecKey], "model": string(text)}
			if err := models.WriteCheckpoint(path, snapshot, edited); err != nil {
				t.Fatal(err)
			}
			file, err := models.ReadSaved(path)
			if err == nil {
				_, _, err = file.Build(0, 1, 1)
			}
			unused := name == "raw" && (strings.Contains(what, "fit") || what == "descends" || what == "a long list" || what == "nodes") ||
				name == "jodie" && what == "descends" && stream.NumFeat == 2
			if (err == nil) != unused {
				t.Errorf("%s, %s: %v", name, what, err)
			}
		}
	}
}
