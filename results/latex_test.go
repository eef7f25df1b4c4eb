package results_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"dgsbench/results"
)

// TestLaTeXCompiles: every table of testdata and one of the size of the paper's
// grid stay on their pages; every character that a title may hold is printed.
func TestLaTeXCompiles(t *testing.T) {
	compiler, err := exec.LookPath("pdflatex")
	if err != nil {
		t.Skip("no pdflatex on this machine")
	}
	files, err := filepath.Glob("testdata/tables/*.tex")
	if err != nil || len(files) < 9 {
		t.Fatalf("%d tables (%v)", len(files), err)
	}
	all := asLaTeX(t, gridTable(t))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, body, _ := strings.Cut(string(text), "\\begin{document}\n")
		all = strings.TrimSuffix(all, "\\end{document}\n") + strings.ReplaceAll(body, `\label`, `% \label`)
	}
	log := compileLaTeX(t, compiler, all)
	if strings.Contains(log, "Float too large") {
		t.Errorf("a table leaves its page:\n%s", log)
	}
	for _, line := range regexp.MustCompile(`(?m)^Overfull .hbox \((.*)pt too wide\).*$`).FindAllStringSubmatch(log, -1) {
		if points, err := strconv.ParseFloat(line[1], 64); err != nil || points > 2 {
			t.Error(line[0])
		}
	}
	compileLaTeX(t, compiler, asLaTeX(t, hostileTable())) // its one long word is wider than any page
}

func asLaTeX(t *testing.T, table results.Table) string {
	t.Helper()
	var out bytes.Buffer
	if err := results.WriteLaTeX(&out, []results.Table{table}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// compileLaTeX returns what the compiler says.
func compileLaTeX(t *testing.T, compiler, text string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "all.tex"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(compiler, "-interaction=nonstopmode", "-halt-on-error", "all.tex")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	return string(out)
}

// gridTable has the shape of the paper's grid of link prediction: ten models in
// both settings on five datasets, with a footnote at every one.
func gridTable(t *testing.T) results.Table {
	t.Helper()
	l := results.Layout{
		Settings: []string{"T", "I"}, Subtitle: "paper: the paper's grid; FI-A and FI-B simulated",
		Command: "bench all --suite paper", Source: "specs/suites/paper.yaml; 1234 records of code version 0123456789ab",
	}
	var cells []results.Cell
	for m := range 10 {
		l.Models = append(l.Models, results.ModelHead{ID: fmt.Sprint("m", m), Title: fmt.Sprint("Model ", m), Class: results.Learned})
	}
	for d := range 5 {
		id := fmt.Sprint("dataset-", d)
		l.Datasets = append(l.Datasets, results.DatasetHead{ID: id, Title: id, PaperName: "Wikipedia"})
		for m, head := range l.Models {
			for _, setting := range l.Settings {
				note := fmt.Sprintf("the training of model %d on dataset %d ended early: its validation metric did not rise any more", m, d)
				cells = append(cells, with(lp(id, setting, head.ID, 0.5, 0.01, 10), noted(note)))
			}
		}
	}
	l.Models = append(l.Models, dgsHead) // of which there is the paper's value alone
	in := results.Input{Cells: cells, Links: l, Candidates: []string{results.AllNodes}}
	return makeTables(t, in, "lp").Tables[0]
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
