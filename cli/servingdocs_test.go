//go:build unix

package cli

import (
	"math"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestServingLines goes from the payments of docs/your-data to scores and alerts as
// docs/serving.md does: they are the scores of the record, and the lines that the page
// shows.
func TestServingLines(t *testing.T) {
	dir := t.TempDir()
	stdout := runTenLines(t, "serving.md", dir)
	page := read(t, "..", "docs", "serving.md")
	head := strings.SplitAfter(stdout[strings.LastIndex(stdout, "id,paid_at"):], "\n")
	for _, line := range head[:3] {
		if !strings.Contains(page, "\n    "+line) {
			t.Errorf("docs/serving.md does not show %q", line)
		}
	}
	s := scored{dir: filepath.Join(dir, "bench-out")}
	_, want := s.suiteModel(t, "payments", "graph-sprints")
	if got := column(t, read(t, dir, "scores.csv"), "score"); !slices.Equal(got, want) {
		t.Errorf("scores %v, the record has %v", got, want)
	}
}

// TestServingThreeWays: the command line and the Go and Python programs of docs/serving.md
// give the same scores for the payments of docs/your-data, one by one from the first.
func TestServingThreeWays(t *testing.T) {
	dir := t.TempDir()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	payments := filepath.Join(root, "docs", "your-data", "payments.csv")
	for _, args := range [][]string{
		strings.Fields("data import " + payments + " --name payments --src account --dst shop --bipartite --time paid_at --label fraud --features amount,retries"),
		{"run", filepath.Join(root, "docs", "your-data", "payments.yaml"), "--models", "graph-sprints", "--seeds", "1", "--checkpoints", "--out", dir},
	} {
		if code, _, stderr := bench(append(args, "--data", dir)...); code != exitDone {
			t.Fatalf("%v: exit code %d\n%s", args, code, stderr)
		}
	}
	s := scored{dir: dir}
	model, _ := s.suiteModel(t, "payments", "graph-sprints")
	input := read(t, payments)
	_, commandLine, stderr := s.score(t, input, model, "--fresh")
	want := column(t, commandLine, "score")
	if len(want) != 1600 {
		t.Fatalf("%d scores\n%s", len(want), stderr)
	}

	run := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir, cmd.Stdin = "..", strings.NewReader(input)
		var out, stderr strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &stderr
		if err := cmd.Run(); err != nil {
			t.Fatalf("%v\n%s", err, stderr.String())
		}
		return out.String()
	}
	program := filepath.Join(dir, "program", "main.go")
	write(t, program, block(t, "serving.md", "go"))
	if out := run("go", "run", program, model); out != commandLine {
		t.Errorf("the Go program says\n%s, the command line\n%s", out, commandLine)
	}

	if !withPython(t)("onnxruntime") {
		t.Skip("needs Python with ONNX Runtime")
	}
	exported, script := filepath.Join(dir, "model.onnx"), filepath.Join(dir, "score.py")
	if code, _, stderr := bench("export", model, exported); code != exitDone {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	write(t, script, block(t, "serving.md", "python"))
	got := strings.Fields(run("python", script, exported))
	for k, text := range got {
		if x, err := strconv.ParseFloat(text, 64); err != nil || math.Abs(x-want[k]) > 1e-5 {
			t.Fatalf("event %d: ONNX Runtime says %s, the command line %v", k, text, want[k])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d scores of ONNX Runtime, expected %d", len(got), len(want))
	}
}
