package table

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"strconv"
	"strings"

	"dgsbench/internal/escape"
	"dgsbench/internal/lists"
	"dgsbench/results/figure"
)

//go:embed page.html
var pageHTML string

var page = template.Must(template.New("page").Parse(pageHTML))

// WriteHTML writes a page of tables and figures that needs no other file and
// runs no scripts.
func WriteHTML(w io.Writer, title string, tables []Table, figures []figure.Figure) error {
	return page.ExecuteTemplate(escape.NewWriter(w), "page", struct {
		Title   string
		Tables  []Table
		Figures []figure.Figure
	}{title, tables, figures})
}

// The values of the template of a table.
type (
	htmlTable struct {
		Name, Title string
		Legend      template.HTML
		Groups      []columnGroup
		Heads       []template.HTML
		Blocks      [][][]htmlEntry
		Notes       map[int]string // by number
		Origin      []origin
	}
	htmlEntry struct {
		Row    bool   // the head of its row
		Words  bool   // wrapped where it is long
		Number string // that rows can be sorted by; empty for none
		Lines  []template.HTML
	}
)

// HTML returns the table as a part of a page.
func (t Table) HTML() (template.HTML, error) {
	s := htmlStyle(t.Name)
	h := htmlTable{
		Name: t.Name, Title: t.Title, Legend: template.HTML(s.legend(t)), Groups: t.groups(), Notes: map[int]string{}, Origin: t.origin(),
		Heads: lists.Map(t.Columns, func(c Column) template.HTML { return template.HTML(s.text(c.Head) + s.numbers(c.Notes)) }),
	}
	for i, note := range t.Notes {
		h.Notes[i+1] = note
	}
	for _, block := range t.Blocks {
		var rows [][]htmlEntry
		for _, row := range block {
			var entries []htmlEntry
			for c, e := range row {
				lines := lists.Map(s.lines(t.Columns[c].Kind, e), func(line string) template.HTML { return template.HTML(line) })
				entries = append(entries, htmlEntry{c < t.numHeads(), len(e.Text) > longWords, e.sortedBy(), lines})
			}
			rows = append(rows, entries)
		}
		h.Blocks = append(h.Blocks, rows)
	}
	var out strings.Builder
	err := page.ExecuteTemplate(&out, "table", h)
	return template.HTML(out.String()), err
}

// longWords is the length of a text from which on it may be wrapped.
const longWords = 24

// htmlStyle escapes every text and links footnotes.
func htmlStyle(name string) style {
	return style{
		text: escape.HTML, best: around("<b>", "</b>"), second: around("<u>", "</u>"), marks: "bold: best, underlined: second",
		numbers: func(numbers []int) string {
			if len(numbers) == 0 {
				return ""
			}
			link := func(n int) string { return fmt.Sprintf(`<a href="#%s-note-%d">%d</a>`, escape.HTML(name), n, n) }
			return "<sup>" + strings.Join(lists.Map(numbers, link), ",") + "</sup>"
		},
	}
}

// leading is the number that a text begins with, such as 3 of "3/2".
var leading = regexp.MustCompile(`^([+-]?[0-9][0-9,]*(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?)(?:$|[ %/])`)

// sortedBy returns the number that a program may sort the entry by; empty for
// none.
func (e Entry) sortedBy() string {
	if e.Value != nil && e.Value.Mean.Present() {
		return strconv.FormatFloat(float64(e.Value.Mean), 'g', 10, 64)
	}
	if m := leading.FindStringSubmatch(e.Text); m != nil {
		return strings.ReplaceAll(m[1], ",", "")
	}
	return ""
}
