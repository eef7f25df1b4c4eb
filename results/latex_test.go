package results_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"dgsbench/results"
)

// TestLaTeXCompiles: every table of testdata, and every character that a title
// may hold.
func TestLaTeXCompiles(t *testing.T) {
	compiler, err := exec.LookPath("pdflatex")
	if err != nil {
		t.Skip("no pdflatex on this machine")
	}
	files, err := filepath.Glob("testdata/tables/*.tex")
	if err != nil || len(files) < 9 {
		t.Fatalf("%d tables (%v)", len(files), err)
	}
	dir := t.TempDir()
	var hostile bytes.Buffer
	if err := results.WriteLaTeX(&hostile, []results.Table{hostileTable()}); err != nil {
		t.Fatal(err)
	}
	all := hostile.String()
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, body, _ := strings.Cut(string(text), "\\begin{document}\n")
		all = strings.TrimSuffix(all, "\\end{document}\n") + strings.ReplaceAll(body, `\label`, `% \label`)
	}
	if err := os.WriteFile(filepath.Join(dir, "all.tex"), []byte(all), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(compiler, "-interaction=nonstopmode", "-halt-on-error", "all.tex")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// hostileTable has every printable character of ASCII and some others
// wherever a text may stand.
func hostileTable() results.Table {
	text := "start"
	for r := ' '; r <= '~'; r++ {
		text += string(r)
	}
	text += "--- [x] ß é ¿ – ± ≈ α 数据 \u202e emoji 😀"
	return results.Table{
		Name: "hostile", Title: text, Legend: []string{text}, Notes: []string{text}, Command: text, Source: text,
		Columns: []results.Column{{Head: text, Notes: []int{1}}, {Group: text, Head: "[head]"}},
		Blocks:  [][]results.TableRow{{{{Text: "[1] " + text, Notes: []int{1}}, {Text: "* " + text}}, {{Text: "*"}, {Text: "["}}}},
	}
}
