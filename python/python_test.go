// Package python holds the Python package dgsbench, and the test that runs its own.
package python

import (
	"cmp"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPythonPackage runs the tests of the package and mypy.
func TestPythonPackage(t *testing.T) {
	python := cmp.Or(os.Getenv("DGSBENCH_PYTHON"), "python3")
	if exec.Command(python, "-c", "import numpy, pyarrow").Run() != nil {
		t.Skip("needs Python with NumPy and pyarrow")
	}
	// Go repeats a result while the files that the test has read are as they were.
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".py") {
			_, err = os.ReadFile(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	src, err := filepath.Abs("src")
	if err != nil {
		t.Fatal(err)
	}
	for _, module := range [][]string{{"unittest", "discover", "-s", "tests"}, {"mypy", "src"}} {
		if module[0] == "mypy" && exec.Command(python, "-c", "import mypy").Run() != nil {
			continue
		}
		c := exec.Command(python, append([]string{"-m"}, module...)...)
		c.Env = append(os.Environ(), "PYTHONPATH="+src, "PYTHONDONTWRITEBYTECODE=1")
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("python -m %s: %v\n%s", strings.Join(module, " "), err, out)
		}
	}
}
