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

// WriteHTML writes a page of a summary, tables and figures that needs no other file and
// runs no scripts.
func WriteHTML(w io.Writer, title string, summary []string, tables []Table, figures []figure.Figure) error {
	return page.ExecuteTemplate(escape.NewWriter(w), "page", struct {
		Title   string
		Summary []string
		Tables  []Table
		Figures []figure.Figure
	}{title, summary, tables, figures})
}

// HTML returns the table as a part of a page.
func (t Table) HTML() (template.HTML, error) {
	var out strings.Builder
	err := page.ExecuteTemplate(&out, "table", htmlTable{t, htmlStyle(t.Name)})
	return template.HTML(out.String()), err
}

// htmlTable is a table in its template.
type htmlTable struct {
	Table
	style style
}

func (t htmlTable) Reading() template.HTML { return template.HTML(joinLegend(t.style.legend(t.Table))) }
func (t htmlTable) Groups() []columnGroup  { return t.groups() }
func (t htmlTable) Head(c Column) template.HTML {
	return template.HTML(t.style.text(c.Head) + t.style.numbers(c.Notes))
}
func (t htmlTable) Number(note int) int { return note + 1 }
func (t htmlTable) Origin() []origin    { return t.origin() }

// Entry returns that of a column.
func (t htmlTable) Entry(c int, e Entry) htmlEntry {
	lines := lists.Map(t.style.lines(t.Columns[c].Kind, e), func(line string) template.HTML { return template.HTML(line) })
	return htmlEntry{c < t.numHeads(), len(e.Text) > longWords, e.sortedBy(), lines}
}

type htmlEntry struct {
	Row    bool   // the head of its row
	Words  bool   // wrapped where it is long
	Number string // that rows can be sorted by; empty for none
	Lines  []template.HTML
}

// longWords is the length of a text from which on it may be wrapped.
const longWords = 24

// htmlStyle escapes every text and links footnotes.
func htmlStyle(name string) style {
	return style{
		text: escape.HTML, best: around("<b>", "</b>"), second: around("<u>", "</u>"), marks: "bold: best, underlined: second",
		numbers: raised("<sup>", "</sup>", func(n int) string {
			return fmt.Sprintf(`<a href="#%s-note-%d">%d</a>`, escape.HTML(name), n, n)
		}),
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
