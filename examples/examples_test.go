// Package examples holds modules of their own that use dgsbench. They are
// built against the present sources.
package examples

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// runner runs programs in a folder and returns what they print.
func runner(t *testing.T, dir string, environment ...string) func(name string, args ...string) string {
	return func(name string, args ...string) string {
		t.Helper()
		c := exec.Command(name, args...)
		c.Dir, c.Env = dir, append(os.Environ(), environment...)
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
		return string(out)
	}
}

// TestOwnModel takes the steps of docs/adding-a-model.md in a copy of
// examples/ownmodel, without the network: its tests pass, and the command
// knows its model and measures it in a suite.
func TestOwnModel(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the command")
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("ownmodel")); err != nil {
		t.Fatal(err)
	}
	module, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "go.mod"), bytes.ReplaceAll(module, []byte("=> ../.."), []byte("=> "+root)), nil)
	// If this fails after a change of the root's go.mod, take its versions in the
	// example's and run go mod tidy there.
	run := runner(t, dir, "GOFLAGS=-trimpath", "GOPROXY=off")
	run("go", "test", "./...")
	run("go", "run", ".", "run", "gap.yaml", "--suite", "smoke")
	if out := run("go", "run", ".", "spec", "show", "gap", "--specs", "."); !strings.Contains(out, "lr: 0.05") {
		t.Errorf("spec show prints\n%s", out)
	}
	out := run("go", "run", ".", "tables", "gap.yaml", "--suite", "smoke", "--models", "gap")
	if !strings.Contains(out, "Gap") {
		t.Errorf("bench tables has no row of the model:\n%s", out)
	}
}

// TestAdditions: what docs/architecture.md and docs/adding-a-model.md say that an
// addition touches is all that it touches. In a copy of the tree with a model,
// a metric, a dataset, a simulator, a table and a suite more, the tests that
// walk over such things pass, and the suite is measured and printed.
func TestAdditions(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the command")
	}
	dir := t.TempDir()
	for _, name := range strings.Split(runner(t, "..")("git", "ls-files", "-z"), "\x00") {
		data, err := os.ReadFile(filepath.Join("..", name))
		if name == "" || os.IsNotExist(err) {
			continue // removed, and not yet committed
		}
		write(t, filepath.Join(dir, name), data, err)
	}
	// after adds text to a file of the copy, behind a line that is there once.
	after := func(file, line, text string) {
		t.Helper()
		path := filepath.Join(dir, file)
		data, err := os.ReadFile(path)
		if n := bytes.Count(data, []byte(line+"\n")); err == nil && n != 1 {
			t.Fatalf("%s has %d lines %q, expected one", file, n, line)
		}
		write(t, path, bytes.Replace(data, []byte(line+"\n"), []byte(line+"\n"+text+"\n"), 1), err)
	}

	// A model: its folder, its YAML, its page, one import line.
	code, err := os.ReadFile("ownmodel/gap/gap.go")
	write(t, filepath.Join(dir, "models/gap/gap.go"), code, err)
	spec, err := os.ReadFile("ownmodel/gap.yaml")
	write(t, filepath.Join(dir, "specs/models/gap.yaml"), append(spec, "page: docs/models/gap.md\n"...), err)
	write(t, filepath.Join(dir, "docs/models/gap.md"), []byte("# Gap (`gap`)\n"), nil)
	after("models/standard/standard.go", `	_ "dgsbench/models/dgs"`, `	_ "dgsbench/models/gap"`)
	// A metric, a dataset, a simulator, a table: one entry each. A suite: one file,
	// and a line in the list of suites.
	recall := `	{Name: "recall@10", Title: "Recall@10", Unit: "1", HigherIsBetter: true, Printed: true, Task: protocol.LinkPrediction, Prepare: prepareRecall(10)},`
	after("metrics/metric.go", recall, strings.ReplaceAll(recall, "10", "1"))
	after("datasets/entries.go", "func init() {", `	Register(Dataset{
		Name: "visits", Title: "Visits: users visit pages", Citation: "nobody", Licence: "none", URL: "https://example.org/visits.csv",
		File: "visits.csv", Layout: Layout{Src: "src", Dst: "dst", Time: "t"}, Want: Counts{Events: 600, Nodes: 28},
		Split: ByRow(0.70, 0.85), HeldOut: SampleHeldOut(1), Substitute: GapsAndCounts(),
	})`)
	after("datasets/sim/catalog.go", "var Simulators = []Simulator{", `	{
		Name: "clinic-sim", Title: "Simulated visits of patients",
		Params: Params{
			Users: 300, Items: 40, Events: 3_000, Positives: 240, Features: 4, Span: month, Noise: 1,
			Activity: Activity{Arrival: 0.5, Anyone: 0.3, Session: 0.6, Lag: 300},
			Links:    Links{Explore: 1, Roam: 0.4, Same: 0.5, Topics: 8, Taste: 1.5, Mood: 1, Skew: 0.3, Epoch: 300},
			Labels:   Labels{Fast: 1, Slow: 1, Other: 1, Count: 0},
		},
		Split: datasets.ByRow(0.60, 0.70), TestShare: 0.30,
	},`)
	after("results/reference/tables.yaml", "tables:", `  - {id: gaps, kind: classification, title: "What gaps alone tell", models: [gap, raw]}`)
	write(t, filepath.Join(dir, "specs/suites/additions.yaml"), []byte(`name: additions
title: what was added
protocol: {epochs: 1, patience: 0}
seeds: 1
runs:
  - {task: nc, datasets: [clinic-sim], models: [gap, raw]}
  - {task: lp, settings: [T], datasets: [visits], models: [recency, popularity]}
tables: {show: [gaps, lp]}
`), nil)
	after("docs/suites.md", "| `smoke` | whether everything works, in seconds; numbers mean nothing | under 30 s |", "| `additions` | what was added | seconds |")
	var visits strings.Builder
	visits.WriteString("src,dst,t\n")
	for i := range 600 {
		fmt.Fprintf(&visits, "u%d,p%d,%d\n", i*i%31, i*7%12, i)
	}
	write(t, filepath.Join(dir, "data/visits.csv"), []byte(visits.String()), nil)

	run := runner(t, dir, "GOFLAGS=-trimpath")
	run("git", "init", "-q", ".")
	run("git", "add", "-A")
	run("go", "test", "./internal/layout", "-run", "Imports|Guarantees")
	run("go", "test", "./specs", "./metrics", "./datasets", "./datasets/sim", "./results/record", "./results/regression")
	run("go", "test", "./models/standard", "-run", "/gap")
	run("go", "test", "./cli", "-run", "TestGolden|TestLists")
	run("go", "test", "./harness/plan", "-run", "TestStandIn")
	run("go", "build", "-o", "bench", "./cmd/bench")
	bench := filepath.Join(dir, "bench")
	run(bench, "run", "specs/models/gap.yaml", "--suite", "smoke", "--seeds", "1")
	run(bench, "all", "--suite", "additions", "--data", "data")
	printed := run(bench, "tables", "--suite", "additions", "--data", "data")
	for _, want := range []string{"What gaps alone tell", "Gap", "clinic-sim", "visits", "Recall@1 %"} {
		if !strings.Contains(printed, want) {
			t.Errorf("bench tables prints no %q:\n%s", want, printed)
		}
	}
	if csv := run(bench, "results", "--suite", "additions", "--data", "data", "--format", "csv"); !strings.Contains(csv, ",recall@1,") {
		t.Errorf("bench results has no recall@1:\n%s", csv)
	}
}

// write writes data that was read without an error.
func write(t *testing.T, path string, data []byte, err error) {
	t.Helper()
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o755)
	}
	if err == nil {
		err = os.WriteFile(path, data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}
