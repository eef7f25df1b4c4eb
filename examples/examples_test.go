// Package examples holds modules of their own that use dgsbench. They are
// built against the present sources.
package examples

import (
	"bytes"
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
// examples/ownmodel: its tests pass, and the command that it builds knows its
// model and measures it in a suite.
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
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"go.mod": bytes.ReplaceAll(module, []byte("=> ../.."), []byte("=> "+root)), "go.sum": sums} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	// What go mod tidy would add is added by -mod=mod, from the cache.
	run := runner(t, dir, "GOFLAGS=-mod=mod -trimpath", "GOPROXY=off")
	run("go", "vet", "./...")
	run("go", "test", "./...")
	program := filepath.Join(dir, "ownmodel")
	run("go", "build", "-o", program, ".")
	if out := run(program, "spec", "show", "gap", "--specs", "."); !strings.Contains(out, "lr: 0.05") {
		t.Errorf("spec show prints\n%s", out)
	}
	run(program, "run", "gap.yaml", "--suite", "smoke")
	out := run(program, "tables", "gap.yaml", "--suite", "smoke", "--models", "gap")
	if !strings.Contains(out, "Gap") {
		t.Errorf("bench tables has no row of the model:\n%s", out)
	}
}

// TestModelOfTheTree: a model of this repository touches its folder, its YAML,
// one import line and its page, as docs/adding-a-model.md says. In a copy of
// the tree with such a model all tests that walk over models pass, and smoke
// measures it.
func TestModelOfTheTree(t *testing.T) {
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
	code, err := os.ReadFile("ownmodel/gap/gap.go")
	write(t, filepath.Join(dir, "models/gap/gap.go"), code, err)
	spec, err := os.ReadFile("ownmodel/gap.yaml")
	write(t, filepath.Join(dir, "specs/models/gap.yaml"), append(spec, "page: docs/models/gap.md\n"...), err)
	write(t, filepath.Join(dir, "docs/models/gap.md"), []byte("# Gap (`gap`)\n"), nil)
	imports, err := os.ReadFile("../models/standard/standard.go")
	line := []byte("\t_ \"dgsbench/models/dgs\"\n")
	write(t, filepath.Join(dir, "models/standard/standard.go"), bytes.Replace(imports, line, append(line, "\t_ \"dgsbench/models/gap\"\n"...), 1), err)

	run := runner(t, dir, "GOFLAGS=-trimpath")
	run("git", "init", "-q", ".")
	run("git", "add", "-A")
	run("go", "test", "./internal/layout", "-run", "Imports|Guarantees")
	run("go", "test", "./specs")
	run("go", "test", "./models/standard", "-run", "TestConformance/gap|TestInitialValues|Loss|TestBytes.*/gap")
	run("go", "build", "-o", "bench", "./cmd/bench")
	bench := filepath.Join(dir, "bench")
	run(bench, "run", "specs/models/gap.yaml", "--suite", "smoke")
	if out := run(bench, "tables", "specs/models/gap.yaml", "--suite", "smoke", "--models", "gap"); !strings.Contains(out, "Gap") {
		t.Errorf("bench tables has no row of the model:\n%s", out)
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
