package own

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dgsbench/datasets"

	"pgregory.net/rapid"
)

// TestNames: every event's nodes have the names of the file.
func TestNames(t *testing.T) {
	for _, bipartite := range []bool{false, true} {
		dir, src := log(t, text(60))
		src.Layout.Bipartite = bipartite
		l, err := Import(t.Context(), dir, src)
		if err != nil {
			t.Fatal(err)
		}
		names, err := Names(dir, "mine")
		if err != nil {
			t.Fatal(err)
		}
		for k, row := range table(t, src.Files[0]) {
			if got := names[l.Stream.Src[k]]; got != row["payer"] {
				t.Errorf("event %d: source %q, expected %q", k, got, row["payer"])
			}
			if got := names[l.Stream.Dst[k]]; got != row["payee"] {
				t.Errorf("event %d: destination %q, expected %q", k, got, row["payee"])
			}
		}
	}
}

// TestAnyNames: names come back whatever they are made of.
func TestAnyNames(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		want := rapid.SliceOfNDistinct(rapid.StringMatching(`[^\n\x00]{1,12}`), 1, 8, func(s string) string { return s }).Draw(rt, "names")
		var b strings.Builder
		b.WriteString("payer,payee,at\n")
		for k, name := range want {
			q := `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
			b.WriteString(q + "," + q + "," + string(rune('0'+k)) + "\n")
		}
		dir, src := log(t, b.String())
		src.Layout = datasets.Layout{Src: "payer", Dst: "payee", Time: "at"}
		src.Split = datasets.ByRow(.4, .7)
		if _, err := Import(t.Context(), dir, src); err != nil {
			if strings.Contains(err.Error(), "part has no events") {
				return
			}
			rt.Fatal(err)
		}
		got, err := Names(dir, "mine")
		if err != nil || !slices.Equal(got, want) {
			rt.Fatalf("%q, %v, expected %q", got, err, want)
		}
	})
}

// TestNamesRefused: a file that was changed is not read, and older imports say what
// to do.
func TestNamesRefused(t *testing.T) {
	dir, src := log(t, text(60))
	if _, err := Import(t.Context(), dir, src); err != nil {
		t.Fatal(err)
	}
	want := func(name, text string) {
		t.Helper()
		if _, err := Names(dir, name); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%v, expected %q", err, text)
		}
	}
	want("mime", `no import "mime" in `+dir+` (did you mean "mine"?); there are: [mine]`)
	want("../x", `no import "../x"`)
	want("wikipedia", "dataset wikipedia comes with the benchmark, expected one that was imported")
	edit(t, filepath.Join(dir, "mine", nodesFile), "p 3", "p 9")
	want("mine", "is damaged; import the source again with --replace")
	if err := Verify(dir, "mine"); err == nil || !strings.Contains(err.Error(), "nodes.csv has SHA-256 ") {
		t.Error(err)
	}
	if err := os.Remove(filepath.Join(dir, "mine", nodesFile)); err != nil {
		t.Fatal(err)
	}
	if _, err := Names(dir, "mine"); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	lookup(t, dir, "mine") // names are not needed for that
	old := filepath.Join(dir, "mine", descriptionFile)
	content, err := os.ReadFile(old)
	if err != nil {
		t.Fatal(err)
	}
	i := strings.Index(string(content), "nodes_sha256")
	if err := os.WriteFile(old, content[:i], 0o644); err != nil {
		t.Fatal(err)
	}
	want("mine", "dataset mine: it was imported by a version that did not keep the names of nodes; import it again")
	if l := lookup(t, dir, "mine"); l.Stream.Len() != 60 {
		t.Error("an import of the first version is not read")
	}
}

// TestReplace: the old dataset stays until the new one is whole, and only a dataset
// is replaced.
func TestReplace(t *testing.T) {
	dir, src := log(t, text(60))
	src.Replace = true // of nothing
	if _, err := Import(t.Context(), dir, src); err != nil {
		t.Fatal(err)
	}
	src.Files = []string{src.Files[0] + "2"}
	if err := os.WriteFile(src.Files[0], []byte(text(90)), 0o644); err != nil {
		t.Fatal(err)
	}
	src.Progress = func(share float64) {
		if l := lookup(t, dir, "mine"); l.Stream.Len() != 60 && share < 1 {
			t.Errorf("%d events at %v", l.Stream.Len(), share)
		}
	}
	if _, err := Import(t.Context(), dir, src); err != nil {
		t.Fatal(err)
	}
	if l := lookup(t, dir, "mine"); l.Stream.Len() != 90 {
		t.Errorf("%d events", l.Stream.Len())
	}
	if got := entries(t, dir); !slices.Equal(got, []string{"mine"}) {
		t.Errorf("files %v", got)
	}
	if err := os.WriteFile(filepath.Join(dir, "mine", "notes.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, want string }{
		{"mine", "mine holds notes.txt, which no import made"},
		{"other", "other has no dataset.yaml, so that it is no import"},
		{"file", "file is no folder of an import"},
	} {
		if c.name == "other" {
			if err := os.Mkdir(filepath.Join(dir, c.name), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if c.name == "file" {
			if err := os.WriteFile(filepath.Join(dir, c.name), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		src.Name = c.name
		if _, err := Import(t.Context(), dir, src); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, expected %q", c.name, err, c.want)
		}
	}
}

// TestRemove: imports alone can be removed, and damaged ones, too.
func TestRemove(t *testing.T) {
	dir, src := log(t, text(60))
	for _, name := range []string{"mine", "others", "damaged"} {
		src.Name = name
		if _, err := Import(t.Context(), dir, src); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "damaged", descriptionFile), []byte("version: 7\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "others", "notes.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"mime": `no import "mime" in ` + dir + ` (did you mean "mine"?); there are: [damaged mine others]`, "wikipedia": "dataset wikipedia comes with the benchmark",
		"": `no import ""`, "..": `no import ".."`, "empty": `no import "empty"`, "others": "others holds notes.txt, which no import made",
	} {
		if err := Remove(dir, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %q", name, err, want)
		}
	}
	for _, name := range []string{"mine", "damaged"} {
		if err := Remove(dir, name); err != nil {
			t.Error(err)
		}
	}
	if got := entries(t, dir); !slices.Equal(got, []string{"empty", "others"}) {
		t.Errorf("files %v", got)
	}
}
