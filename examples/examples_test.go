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
	run := func(name string, args ...string) string {
		t.Helper()
		c := exec.Command(name, args...)
		c.Dir = dir
		// What go mod tidy would add is added by -mod=mod, from the cache.
		c.Env = append(os.Environ(), "GOFLAGS=-mod=mod -trimpath", "GOPROXY=off")
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
		return string(out)
	}
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
