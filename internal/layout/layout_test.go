// Package layout holds the code to docs/architecture.md: its test fails when
// a package imports what its room may not know. It has no code of its own.
package layout

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "dgsbench/"

// rooms is the table of docs/architecture.md. A room covers its
// sub-packages, which may also import each other, but for those that are rooms
// of their own. Whoever may import a room may import these too.
var rooms = map[string][]string{
	"internal":         {},
	"protocol":         {},
	"kernels":          {"internal"},
	"nn":               {"kernels", "internal"},
	"datasets":         {"protocol", "internal"},
	"metrics":          {"protocol"},
	"models":           {"protocol", "nn", "kernels", "datasets", "internal"},
	"specs":            {"protocol", "metrics", "models", "datasets", "results/recorded", "internal"},
	"results/figure":   {"internal"},
	"results/table":    {"results/figure", "internal"},
	"results/record":   {"protocol", "metrics", "internal"},
	"results/recorded": {},
	"results/claims":   {"specs", "internal"},
	"results/speed":    {"results/figure"},
	"results":          {"protocol", "datasets", "metrics", "models", "specs", "internal"},
	"serve":            {"protocol", "nn", "kernels", "datasets", "models", "internal"},
	"harness":          {"protocol", "nn", "kernels", "datasets", "metrics", "models", "specs", "results", "internal"},
	"docs":             {},
	"peers":            {"protocol", "datasets", "models", "internal"},
	"python":           {},
	"cli":              {"protocol", "nn", "kernels", "datasets", "metrics", "models", "specs", "results", "harness", "serve", "internal"},
	"examples":         {"protocol", "nn", "kernels", "datasets", "metrics", "models", "specs", "results", "harness", "serve", "internal", "cli"},
	"cmd":              {"protocol", "cli", "nn", "kernels", "datasets", "metrics", "models", "specs", "results", "harness", "serve", "internal"},
}

// only lists third-party packages that belong to some rooms alone.
var only = map[string][]string{
	"gorgonia.org/":                      {"nn"},
	"gorgonia.org/cu":                    {"kernels"},
	"gopkg.in/yaml.v3":                   {"internal"},
	"github.com/spf13/":                  {"cli"},
	"github.com/vbauerster/mpb/":         {"cli"},
	"github.com/ebitengine/":             {"kernels"},
	"golang.org/x/term":                  {"cli"},
	"encoding/csv":                       {"internal", "datasets", "results/claims", "results/speed"}, // internal/escape writes it for people, datasets/own for itself, the last two read it
	"github.com/apache/arrow-go/":        {"datasets", "models"},
	"html":                               {"internal"}, // internal/escape
	"html/template":                      {"results"},
	"golang.org/x/text":                  {"internal"},
	"golang.org/x/net":                   {"internal"},
	"github.com/yuin/goldmark":           {}, // tests
	"github.com/olekukonko/":             {"results/table"},
	"text/tabwriter":                     {"results/table"}, // tables are laid out there alone
	"github.com/klauspost/":              {"datasets"},
	"github.com/gofrs/":                  {"internal"},
	"github.com/sbinet/npyio":            {"results/record"},
	"github.com/shirou/":                 {"datasets", "internal"},
	"gonum.org/v1/gonum/blas":            {"nn"},
	"pgregory.net/rapid":                 {},           // tests
	"github.com/google/go-cmp":           {"internal"}, // tests, and golden for them
	"dgsbench/internal/escapetest":       {},           // tests
	"dgsbench/internal/fixture":          {},           // tests
	"dgsbench/internal/golden":           {},           // tests
	"dgsbench/internal/svgtest":          {},           // tests
	"dgsbench/internal/growth":           {},           // tests
	"dgsbench/models/modeltest":          {},           // tests
	"dgsbench/results/record/recordtest": {},           // tests
	"math/rand":                          {},           // only math/rand/v2, from the trial's seed
	"gonum.org/v1/gonum/stat":            {"metrics", "results", "harness"},
	"gonum.org/v1/plot":                  {"results/figure"}, // figures are drawn there alone
	"github.com/HdrHistogram/":           {"results", "harness"},
	"google.golang.org/protobuf/":        {"internal"},
	"github.com/chromedp/":               {}, // tests
	"gonum.org/v1/gonum/integrate":       {},
}

type file struct {
	path, room string
	test       bool
	imports    []string
}

func TestImports(t *testing.T) {
	files := sources(t)
	if len(files) < 20 {
		t.Fatalf("only %d files found", len(files))
	}
	for _, f := range files {
		allowed, known := rooms[f.room]
		if !known {
			t.Errorf("%s: room %q is not in the table", f.path, f.room)
			continue
		}
		for _, path := range f.imports {
			if inside, ours := strings.CutPrefix(path, module); ours {
				if room := roomOf(inside); !within(room, []string{f.room}) && !within(room, allowed) && !f.test {
					t.Errorf("%s imports %s: %s may import %v", f.path, path, f.room, allowed)
				}
			}
			checkOnly(t, f, path)
		}
	}
}

// roomOf is the innermost room that a file or a folder lies in.
func roomOf(path string) string {
	out, _, _ := strings.Cut(path, "/")
	for room := range rooms {
		if within(path, []string{room}) && len(room) > len(out) {
			out = room
		}
	}
	return out
}

// within reports whether a path is one of the rooms, or lies in one.
func within(path string, rooms []string) bool {
	return slices.ContainsFunc(rooms, func(room string) bool { return path == room || strings.HasPrefix(path, room+"/") })
}

// checkOnly applies the longest prefix of only that fits. Tests may import
// anything but math/rand.
func checkOnly(t *testing.T, f file, path string) {
	longest := ""
	for prefix := range only {
		if strings.HasPrefix(path, prefix) && len(prefix) > len(longest) && !(prefix == "math/rand" && path != prefix) {
			longest = prefix
		}
	}
	if longest == "" || f.test && longest != "math/rand" || within(f.room, only[longest]) {
		return
	}
	t.Errorf("%s imports %s, which belongs to %v", f.path, path, only[longest])
}

// sources parses the imports of every Go file of the module.
func sources(t *testing.T) []file {
	t.Helper()
	root := filepath.Join("..", "..")
	var out []file
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && strings.HasPrefix(d.Name(), ".") {
			return filepath.SkipDir
		}
		if d.IsDir() || filepath.Ext(path) != ".go" {
			return nil
		}
		f, err := read(root, path)
		out = append(out, f)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func read(root, path string) (file, error) {
	rel, err := filepath.Rel(root, path)
	if err != nil {
		return file{}, err
	}
	rel = filepath.ToSlash(rel)
	f := file{path: rel, room: roomOf(rel), test: strings.HasSuffix(rel, "_test.go") || strings.HasPrefix(rel, "models/modeltest/")}
	parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		return file{}, err
	}
	for _, i := range parsed.Imports {
		name, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			return file{}, err
		}
		f.imports = append(f.imports, name)
	}
	return f, nil
}
