package cli

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// withPython makes the Python package known to processes of the test, and python the
// program that has what it needs. It returns whether that Python has a module.
func withPython(t *testing.T) func(module string) bool {
	t.Helper()
	python := cmp.Or(os.Getenv("DGSBENCH_PYTHON"), "python3")
	has := func(module string) bool { return exec.Command(python, "-c", "import "+module).Run() == nil }
	if !has("numpy, pyarrow") {
		t.Skip("needs Python with NumPy and pyarrow")
	}
	source, err := filepath.Abs(filepath.Join("..", "python", "src"))
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	write(t, filepath.Join(bin, "python"), "#!/bin/sh\nexec "+python+" \"$@\"\n")
	if err := os.Chmod(filepath.Join(bin, "python"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("PYTHONPATH", source)
	t.Setenv("PYTHONDONTWRITEBYTECODE", "1")
	return has
}

// TestPythonExamples: what README.md says prints a table with rows of the examples.
func TestPythonExamples(t *testing.T) {
	has := withPython(t)
	out := t.TempDir()
	_, line, _ := strings.Cut(read(t, "..", "README.md"), "\n    bench all --suite examples ")
	line, _, ok := strings.Cut(line, "\n")
	if !ok {
		t.Fatal("README.md does not run the suite examples")
	}
	t.Chdir(filepath.Join("..", "python", "examples"))
	rows := []string{"Logistic regression (NumPy)"}
	if has("lightgbm") {
		line, rows = line+",lightgbm", append(rows, "LightGBM, velocity")
	}
	code, stdout, stderr := bench(append(strings.Fields("all --suite examples "+line), "--out", out)...)
	if code != exitDone {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	for _, row := range rows {
		if !strings.Contains(stdout, row) {
			t.Errorf("no row %q in\n%s", row, stdout)
		}
	}
}

// TestPythonChecks: the conformance suite in Python passes a model of this program.
func TestPythonChecks(t *testing.T) {
	withPython(t)
	out, err := exec.Command("python", "-m", "dgsbench.check", "--", "env", child+"=1", os.Args[0], "serve-model", "dgs").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "24 passed, 0 failed") {
		t.Errorf("%v\n%s", err, out)
	}
}
