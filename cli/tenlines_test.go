//go:build unix

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// runTenLines runs the first block of a page, which has at most ten lines, in a shell in
// dir, with the docs of the repository beside it. It replaces from[i] by to[i], in pairs.
func runTenLines(t *testing.T, page, dir string, replace ...string) (stdout string) {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	script := block(t, page, "sh")
	if strings.Count(script, "\n") > 10 {
		t.Fatalf("docs/%s has more than ten lines:\n%s", page, script)
	}
	replace = append(replace, "go build -o bench ", "go build -C '"+root+"' -o '"+dir+"/bench' ")
	for i := 0; i < len(replace); i += 2 {
		if strings.Count(script, replace[i]) != 1 {
			t.Fatalf("the lines do not have %q once:\n%s", replace[i], script)
		}
		script = strings.Replace(script, replace[i], replace[i+1], 1)
	}
	if err := os.Symlink(filepath.Join(root, "docs"), filepath.Join(dir, "docs")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-ec", script)
	cmd.Dir = dir
	var out, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s%s", err, stderr.String(), out.String())
	}
	return out.String()
}

// block returns the first block of code of a page in a language.
func block(t *testing.T, page, language string) string {
	t.Helper()
	_, text, _ := strings.Cut(read(t, "..", "docs", page), "```"+language+"\n")
	text, _, ok := strings.Cut(text, "```")
	if !ok {
		t.Fatalf("docs/%s has no block of %s", page, language)
	}
	return text
}

// TestTenLines goes from a made-up stream to an answer, on a shorter stream and with a
// smaller budget, and finds the summary at the end.
func TestTenLines(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	stdout := runTenLines(t, "your-data.md", t.TempDir(),
		"go run docs/your-data/cards.go", "go run '"+root+"/docs/your-data/cards.go' -events 4000",
		"bench all --dataset cards", "bench all --dataset cards --hours 0.01")
	_, answer, _ := strings.Cut(stdout, "Node classification, Card payments: ")
	summary, _, ok := strings.Cut(answer, "\n\n")
	for _, part := range []string{" is best: AUC ", "best single column", "best rule"} {
		if !ok || !strings.Contains(strings.ReplaceAll(summary, "\n  ", " "), part) && !strings.Contains(summary, ", a "+strings.TrimPrefix(part, "best ")) {
			t.Errorf("the summary has no %q:\n%s", part, stdout)
		}
	}
	if n := strings.Count(summary, "\n"); n > 14 {
		t.Errorf("the summary has %d lines", n+1)
	}
}
