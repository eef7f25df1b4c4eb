package table_test

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

	"dgsbench/results/table"
)

// TestLaTeXCompiles: every table that is made of results, those of testdata and
// a large one stay on their pages; every character that a title may hold is
// printed.
func TestLaTeXCompiles(t *testing.T) {
	compiler, err := exec.LookPath("pdflatex")
	if err != nil {
		t.Skip("no pdflatex on this machine")
	}
	files, err := filepath.Glob("../testdata/tables/*.tex")
	if err != nil || len(files) < 9 {
		t.Fatalf("%d tables (%v)", len(files), err)
	}
	all := asLaTeX(t, gridTable())
	for _, file := range append(files, "testdata/example.tex") {
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

func asLaTeX(t *testing.T, made table.Table) string {
	t.Helper()
	var out bytes.Buffer
	if err := table.WriteLaTeX(&out, []table.Table{made}); err != nil {
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

// gridTable has the shape of a large grid: ten models in two settings on five
// datasets, two metrics each beside published values, with a footnote at every
// measured value.
func gridTable() table.Table {
	out := table.Table{
		Name: "grid", Title: "Link prediction against all nodes, test events (the whole grid; two datasets simulated)", Heads: 2,
		Legend:  []string{"T: transductive, I: inductive", "±: standard deviation over seeds (n-1)", "[low, high]: 95% interval"},
		Columns: []table.Column{{Head: "T/I"}, {Head: "model"}},
		Command: "bench all --suite grid", Source: "specs/suites/grid.yaml; 1234 records of code version 0123456789ab",
	}
	for d := range 5 {
		for _, metric := range []string{"MRR", "Recall@10"} {
			group := fmt.Sprint("dataset-", d)
			out.Columns = append(out.Columns,
				table.Column{Kind: table.Measured, Group: group, Metric: metric, Head: metric + " %"},
				table.Column{Kind: table.Published, Group: group, Metric: metric, Head: "paper %"})
		}
	}
	out.Columns = append(out.Columns, table.Column{Head: "seeds"}, table.Column{Kind: table.Ranks, Head: "average rank"})
	for _, setting := range []string{"T", "I"} {
		var rows []table.Row
		for m := range 10 {
			row := table.Row{{Text: setting}, {Text: fmt.Sprint("Model ", m)}}
			for d := range 5 {
				note := fmt.Sprintf("the training of model %d on dataset %d ended early: its validation metric did not rise any more", m, d)
				row = append(row, table.Entry{Value: measured(50, 1), Notes: out.Note(note)}, table.Entry{Value: published(46.6, 2.4)},
					table.Entry{Value: measured(62.5, 1)}, table.Entry{})
			}
			rows = append(rows, append(row, table.Entry{Text: "10"}, table.Entry{Value: rank(5.5)}))
		}
		out.Blocks = append(out.Blocks, rows)
	}
	return out
}

// hostileTable has every printable character of ASCII and some others
// wherever a text may stand.
func hostileTable() table.Table {
	text := "start"
	for r := ' '; r <= '~'; r++ {
		text += string(r)
	}
	text += "--- [x] ß é ¿ – ± ≈ α 数据 \u202e emoji 😀"
	return table.Table{
		Name: "hostile", Title: text, Legend: []string{text}, Notes: []string{text}, Command: text, Source: text,
		Columns: []table.Column{{Head: text, Notes: []int{1}}, {Group: text, Head: "[head]"}},
		Blocks:  [][]table.Row{{{{Text: "[1] " + text, Notes: []int{1}}, {Text: "* " + text}}, {{Text: "*"}, {Text: "["}}}},
	}
}
