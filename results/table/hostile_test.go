package table_test

import (
	"bytes"
	"encoding/csv"
	"io"
	"regexp"
	"strings"
	"testing"

	"dgsbench/internal/escapetest"
	"dgsbench/results/figure"
	"dgsbench/results/table"
)

// tableOf has the text wherever a text stands.
func tableOf(text string) table.Table {
	return table.Table{
		Name: "hostile", Title: text, Legend: []string{text, text}, Notes: []string{text, text}, Command: text, Source: text, Among: text,
		Columns: []table.Column{
			{Head: text, Notes: []int{1}}, {Kind: table.Measured, Group: text, Metric: text, Head: text}, {Kind: table.Published, Group: text, Metric: text, Head: text},
		},
		Blocks: [][]table.Row{
			{{{Text: text, Notes: []int{1}}, {Value: measured(3, 1), Mark: table.Best, Notes: []int{2}}, {Value: published(3, 1)}}},
			{{{Text: text + "2"}, {Value: measured(-3, 1), Mark: table.Second}, {}}},
		},
	}
}

// marks are the terminal's own.
var marks = regexp.MustCompile(`\x1b\[[014]m`)

// TestHostileTexts: in no layout is a text more than text.
func TestHostileTexts(t *testing.T) {
	text := func(terminal bool) func(io.Writer, table.Table) error {
		return func(w io.Writer, made table.Table) error {
			return table.WriteText(w, table.Screen{Width: 120, Terminal: terminal}, made)
		}
	}
	page := func(w io.Writer, made table.Table) error {
		drawn := figure.Figure{Name: "drawn", Title: made.Title, Caption: made.Title, SVG: []byte("<svg></svg>")}
		return table.WriteHTML(w, made.Title, []string{made.Title}, []table.Table{made}, []figure.Figure{drawn})
	}
	for format, write := range map[string]func(io.Writer, table.Table) error{
		"text": text(false), "terminal": text(true), "markdown": table.WriteMarkdown, "csv": table.WriteCSV, "html": page,
		"latex": func(w io.Writer, made table.Table) error { return table.WriteLaTeX(w, []table.Table{made}) },
	} {
		var out, tame bytes.Buffer
		if err := write(&out, tableOf(escapetest.Hostile)); err != nil {
			t.Fatal(format, err)
		}
		if err := write(&tame, tableOf(escapetest.Harmless)); err != nil {
			t.Fatal(format, err)
		}
		got := out.String()
		switch format {
		case "terminal":
			got = marks.ReplaceAllString(got, "")
			if n, want := len(marks.FindAllString(out.String(), -1)), len(marks.FindAllString(tame.String(), -1)); n != want {
				t.Errorf("%d marks, expected %d", n, want)
			}
		case "html":
			if shape := escapetest.Shape(t, got); shape != escapetest.Shape(t, tame.String()) {
				t.Errorf("the page has another shape:\n%s", shape)
			}
		case "markdown", "latex":
			if n, want := strings.Count(got, "\n"), strings.Count(tame.String(), "\n"); n != want {
				t.Errorf("%s has %d lines, expected %d", format, n, want)
			}
			if i := strings.Index(got, `\end{document}`); format == "latex" && i != len(got)-len("\\end{document}\n") {
				t.Error("a text ends the document")
			}
		case "csv":
			lines, err := csv.NewReader(&out).ReadAll()
			if err != nil || len(lines) != 3 || lines[1][1][0] != '\'' || lines[2][2] != "-3.00" {
				t.Errorf("read as %q (%v)", lines, err)
			}
		}
		escapetest.Plain(t, format, got)
	}
}
