//go:build unix

package cli

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestServingLines goes from the payments of docs/your-data to scores and alerts as
// docs/serving.md does: they are the scores of the record, and the lines that the page
// shows. The Go program of the page gives the same scores one by one as the command line.
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
	model, want := s.suiteModel(t, "payments", "graph-sprints")
	if got := column(t, read(t, dir, "scores.csv"), "score"); !slices.Equal(got, want) {
		t.Errorf("scores %v, the record has %v", got, want)
	}

	input := read(t, dir, "new.csv")
	_, commandLine, stderr := s.score(t, input, model)
	program := filepath.Join(dir, "program", "main.go")
	write(t, program, block(t, "serving.md", "go"))
	cmd := exec.CommandContext(t.Context(), "go", "run", program, model)
	cmd.Dir, cmd.Stdin = "..", strings.NewReader(input)
	var out, errors strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errors
	if err := cmd.Run(); err != nil || out.String() != commandLine {
		t.Errorf("%v\n%s%sthe program says\n%s, the command line\n%s", err, stderr, errors.String(), out.String(), commandLine)
	}
}
