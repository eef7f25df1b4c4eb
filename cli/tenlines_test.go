//go:build unix

package cli

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// tenLines is the first block of docs/your-data.md: from a made-up stream to an answer.
var tenLines = regexp.MustCompile("(?s)```sh\n(.*?)```")

// TestTenLines runs them in a shell, on a shorter stream and with a smaller budget,
// and finds the summary at the end.
func TestTenLines(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	m := tenLines.FindStringSubmatch(read(t, root, "docs", "your-data.md"))
	if m == nil || strings.Count(m[1], "\n") > 10 {
		t.Fatalf("docs/your-data.md does not begin with at most ten lines: %v", m)
	}
	dir := t.TempDir()
	script := m[1]
	for from, to := range map[string]string{
		"go build -o bench ":             "go build -C '" + root + "' -o '" + dir + "/bench' ",
		"go run docs/your-data/cards.go": "go run '" + root + "/docs/your-data/cards.go' -events 4000",
		"bench all --dataset cards":      "bench all --dataset cards --hours 0.01",
	} {
		if strings.Count(script, from) != 1 {
			t.Fatalf("the lines do not have %q once:\n%s", from, script)
		}
		script = strings.Replace(script, from, to, 1)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-ec", script)
	cmd.Dir = dir
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s%s", err, stderr.String(), stdout.String())
	}
	_, answer, _ := strings.Cut(stdout.String(), "Node classification, Card payments: ")
	summary, _, ok := strings.Cut(answer, "\n\n")
	for _, part := range []string{" is best: AUC ", "best single column", "best rule"} {
		if !ok || !strings.Contains(strings.ReplaceAll(summary, "\n  ", " "), part) && !strings.Contains(summary, ", a "+strings.TrimPrefix(part, "best ")) {
			t.Errorf("the summary has no %q:\n%s", part, stdout.String())
		}
	}
	if n := strings.Count(summary, "\n"); n > 14 {
		t.Errorf("the summary has %d lines", n+1)
	}
}
