package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestForgedLines: a name with an end of line in it, of a file, a folder or
// what somebody asks for, makes no line that the program did not write.
func TestForgedLines(t *testing.T) {
	const name = "x\ndone: forged\nbench: forged\n[1/1] forged\nwarning: forged\nfailed: forged"
	dir := workplace(t)
	file := filepath.Join(dir, name+".yaml")
	write(t, file, "[")
	data := filepath.Join(dir, name)
	if err := os.Mkdir(data, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(data, "toy.csv"), "[")
	write(t, filepath.Join(data, "wikipedia.csv"), "[")
	for _, args := range [][]string{
		{"plan", file}, {"tables", "--suite", "quick", "--out", data, "--data", data}, {"all", "--suite", name}, {"all", "--suite", "toy", "--specs", file},
		{"plan", "--specs", file}, {"data", "verify", "--data", data}, {"data", "stats", "wikipedia", "--data", data}, {"data", "stats", name},
		{"data", "import", file, "--src", "a", "--dst", "b", "--time", "c", "--data", data}, {"results", "--suite", "quick", "--out", file}, {"spec", "show", name}, {name},
		{"check", "--baseline", file}, {"tune", file, "--out", data}, {"report", "--out", data, file}, {"scale", file}, {"latency", file}, {"all", "--device", name}, {"--" + name},
		{"tables", "--format", name},
	} {
		var out, failed strings.Builder
		if code := run(context.Background(), args, &out, &failed); code == exitDone {
			t.Errorf("%q: exit code %d, expected a failure", args, code)
		}
		for _, line := range strings.Split(out.String()+failed.String(), "\n") {
			if strings.HasSuffix(line, "forged") && !strings.HasPrefix(line, "  ") {
				t.Errorf("%q prints the line %q", args, line)
			}
		}
	}
}
