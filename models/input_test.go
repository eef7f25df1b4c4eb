package models_test

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dgsbench/models"

	"github.com/google/go-cmp/cmp"
)

// inputs are Inputs of few nodes: with sides and without, with free numbers and without any
// node, and of a name with every byte.
func inputs() map[string]*models.Input {
	bytes := make([]byte, 256)
	for i := range bytes {
		bytes[i] = byte(i)
	}
	history := []models.Tensor{{Name: "history.last", Shape: []int{1}, I64: []int64{5}}, {Name: "week.features", Shape: []int{1, 2}, F32: []float32{1, 2}}}
	return map[string]*models.Input{
		"sides": {
			Source: "s", Features: "f", Together: true, ValidationSeconds: 7.5, History: history,
			Nodes:  models.Nodes{Names: []string{"a", "", "a", string(bytes)}, Sides: []int8{0, 0, 1, 1}, Seen: []int64{3, -1, 2, math.MaxInt64}},
			Scores: []float32{-1.5, 0, 3}, Labels: []int8{0, -1, 1},
		},
		"no sides": {Nodes: models.Nodes{Names: []string{strings.Repeat("long ", 100), "b"}, Seen: []int64{0, -1}}},
		"no nodes": {},
	}
}

// withInput returns a checkpoint with an Input.
func withInput(t testing.TB, in *models.Input) string {
	t.Helper()
	path, _ := subjects(t)[0].saved(t, "{}")
	file, err := models.ReadSaved(path)
	if err != nil {
		t.Fatal(err)
	}
	file.Input = in
	data, err := file.Encode()
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "input.safetensors")
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestInput: what makes events of records is read as it was written. Sides are nil where
// there are none, which says that sources may be destinations.
func TestInput(t *testing.T) {
	for name, in := range inputs() {
		file, err := models.ReadSaved(withInput(t, in))
		if err != nil {
			t.Fatal(err)
		}
		got := file.Input
		if diff := cmp.Diff(in, got, cmp.Transformer("empty", func(x []float32) []float32 { return slices.Concat([]float32{}, x) }),
			cmp.Transformer("none", func(x []int64) []int64 { return slices.Concat([]int64{}, x) }), cmp.FilterPath(func(p cmp.Path) bool { return p.String() == "Labels" }, cmp.Comparer(slices.Equal[[]int8])),
		); diff != "" || (got.Nodes.Sides == nil) != (in.Nodes.Sides == nil) {
			t.Errorf("%s: sides %v: %s", name, got.Nodes.Sides, diff)
		}
		if len(file.Snapshot.Input) > 0 {
			t.Errorf("%s: %d tensors are kept", name, len(file.Snapshot.Input))
		}
	}
}

// TestForeignInput: tensors that no Saved has written are refused.
func TestForeignInput(t *testing.T) {
	for want, change := range map[string]func(map[string]*models.Tensor){
		"tensor nodes.names":             func(ts map[string]*models.Tensor) { ts["nodes.names"].I64[0] = 1 << 40 },
		"is not one of -1 bytes":         func(ts map[string]*models.Tensor) { ts["nodes.names"].I64[0] = -1 },
		"names of nodes: texts that end": func(ts map[string]*models.Tensor) { ts["nodes.names"].I64[1] |= 0x7f },
		"names, ":                        func(ts map[string]*models.Tensor) { cut(ts["nodes.seen"]) },
		"3 sides":                        func(ts map[string]*models.Tensor) { cut(ts["nodes.sides"]) },
		"expected 0 to 1":                func(ts map[string]*models.Tensor) { ts["nodes.sides"].I64[0] = 2 },
		"expected -1 to 1":               func(ts map[string]*models.Tensor) { ts["validation.labels"].I64[0] = -2 },
		"3 scores and 2 labels":          func(ts map[string]*models.Tensor) { cut(ts["validation.labels"]) },
		"or one that is not finite":      func(ts map[string]*models.Tensor) { ts["validation.scores"].F32[0] = float32(math.NaN()) },
		"0 scores and 3 labels":          func(ts map[string]*models.Tensor) { ts["validation.scores"].Name = "validation.score" },
		"is not one of bytes":            func(ts map[string]*models.Tensor) { ts["nodes.names"].Name = "nodes.name" },
		"tensor nodes.names (F32 [0]) is ": func(ts map[string]*models.Tensor) {
			*ts["nodes.names"] = models.Tensor{Name: "nodes.names", Shape: []int{0}}
		},
	} {
		path := withInput(t, inputs()["sides"])
		s, metadata, err := models.ReadCheckpoint(path)
		if err != nil {
			t.Fatal(err)
		}
		byName := map[string]*models.Tensor{}
		for i := range s.Input {
			byName[s.Input[i].Name] = &s.Input[i]
		}
		change(byName)
		if err := models.WriteCheckpoint(path, s, metadata); err != nil {
			t.Fatal(err)
		}
		if _, err := models.ReadSaved(path); err == nil || !strings.Contains(err.Error(), "input: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, expected %s", err, want)
		}
	}
	for text, want := range map[string]string{`"validation_seconds":7.5|"validation_seconds":-1`: "a validation of -1 s", `"source":"s"|"source":5`: "cannot unmarshal"} {
		path := withInput(t, inputs()["sides"])
		s, metadata, err := models.ReadCheckpoint(path)
		if err != nil {
			t.Fatal(err)
		}
		from, to, _ := strings.Cut(text, "|")
		metadata["model"] = strings.Replace(metadata["model"], from, to, 1)
		if err := models.WriteCheckpoint(path, s, metadata); err != nil {
			t.Fatal(err)
		}
		if _, err := models.ReadSaved(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, expected %s", err, want)
		}
	}
}

// cut drops the last number of a vector.
func cut(t *models.Tensor) {
	n := len(t.I64) - 1
	t.I64, t.Shape = t.I64[:n], []int{n}
}

// TestTooManyNames: a name more than there are nodes has no number.
func TestTooManyNames(t *testing.T) {
	names := make([]string, stream.NumNodes+1)
	in := &models.Input{Nodes: models.Nodes{Names: names, Seen: make([]int64, len(names))}}
	if _, err := models.ReadSaved(withInput(t, in)); err == nil || !strings.Contains(err.Error(), "names, ") {
		t.Error(err)
	}
}

// TestSameModel: spec and parameters decide, and not what the states have met.
func TestSameModel(t *testing.T) {
	read := func() *models.Saved {
		path, _ := subjects(t)[0].saved(t, "{}")
		file, err := models.ReadSaved(path)
		if err != nil {
			t.Fatal(err)
		}
		return file
	}
	a := read()
	for want, change := range map[bool][]func(*models.Saved){
		true: {func(*models.Saved) {}, func(s *models.Saved) { s.Events++; s.Snapshot.State = nil; s.Nodes++ }},
		false: {
			func(s *models.Saved) { s.Spec += " " },
			func(s *models.Saved) { s.Snapshot.Params[0].F32[0]++ },
			func(s *models.Saved) { s.Snapshot.Params = s.Snapshot.Params[1:] },
			func(s *models.Saved) { s.Snapshot.Params[0].Name += "s" },
		},
	} {
		for i, change := range change {
			b := read()
			if change(b); a.SameModel(b) != want || b.SameModel(a) != want {
				t.Errorf("change %d: the same model: %v", i, !want)
			}
		}
	}
}
