package specs_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dgsbench/specs"
)

func writeSpec(t *testing.T, dir, name, text string) string {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestLookupsSuggest(t *testing.T) {
	lib := embeddedLibrary(t)
	_, modelErr := lib.LoadModel("graph-sprint")
	_, suiteErr := lib.LoadSuite("wikireal")
	for want, err := range map[string]error{
		`unknown model "graph-sprint" (did you mean "graph-sprints"?)`: modelErr,
		`unknown suite "wikireal" (did you mean "wiki-real"?)`:         suiteErr,
	} {
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// A folder adds specs and replaces embedded ones; a single file replaces
// both.
func TestReplacing(t *testing.T) {
	dir := t.TempDir()
	writeSpec(t, dir, "a.yaml", "{id: recency, model: toy-rule, title: Mine}")
	writeSpec(t, dir, "deep/b.yml", "{id: added, model: toy-rule, title: Added}")
	writeSpec(t, dir, "notes.txt", "not a spec: [")
	lib, err := specs.NewLibrary(dir)
	if err != nil {
		t.Fatal(err)
	}
	ids := lib.ModelIDs()
	if !slices.IsSorted(ids) || !slices.Contains(ids, "added") || !slices.Contains(ids, "edgebank") {
		t.Errorf("ids %v", ids)
	}
	file := writeSpec(t, t.TempDir(), "c.yaml", "{id: recency, model: toy, title: Last}")
	for _, want := range []string{"Mine", "Last"} {
		m, err := lib.LoadModel("recency")
		if err != nil || m.Title != want {
			t.Errorf("title %q, %v, want %q", m.Title, err, want)
		}
		e, err := lib.AddFile(file)
		if err != nil || e != (specs.Entry{Name: "recency"}) {
			t.Fatalf("%+v, %v", e, err)
		}
	}
	suite := writeSpec(t, dir, "s.yaml", "{name: mine, title: S, runs: []}")
	if e, err := lib.AddFile(suite); err != nil || e != (specs.Entry{Suite: true, Name: "mine"}) {
		t.Errorf("%+v, %v", e, err)
	}
	if !slices.Contains(lib.SuiteNames(), "mine") {
		t.Errorf("suites %v", lib.SuiteNames())
	}
}

func TestBadFolders(t *testing.T) {
	twice := t.TempDir()
	writeSpec(t, twice, "a.yaml", "{id: x, model: toy, title: A}")
	writeSpec(t, twice, "b.yaml", "\nid: x\nmodel: toy\ntitle: B")
	broken := t.TempDir()
	writeSpec(t, broken, "a.yaml", "id: [")
	writeSpec(t, broken, "b.yaml", "what: ever")
	file := writeSpec(t, t.TempDir(), "f.yaml", "")
	for dir, want := range map[string][]string{
		twice:                     {"b.yaml:2: ", `"x"`, "a.yaml"},
		broken:                    {"a.yaml:2: not YAML", "b.yaml:1: expected the key"},
		file:                      {"expected a folder with specs"},
		filepath.Join(file, "no"): {"expected a folder with specs"},
	} {
		_, err := specs.NewLibrary(dir)
		for _, part := range want {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%s: got %v, want %s in it", dir, err, part)
			}
		}
	}
	if _, err := embeddedLibrary(t).AddFile("testdata/none.yaml"); err == nil {
		t.Error("no error for a file that is not there")
	}
}
