package table

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

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
	err := page.ExecuteTemplate(&out, "table", htmlTable{t, htmlStyle(t.Name), t.widest()})
	return template.HTML(out.String()), err
}

// htmlTable is a table in its template.
type htmlTable struct {
	Table
	style  style
	widest []string
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
	if whole, ok := e.whole(); ok && len(whole) < len(t.widest[c]) {
		lines[0] = template.HTML(strings.Map(blank, t.widest[c][:len(t.widest[c])-len(whole)])) + lines[0]
	}
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

// leading is the number that a text begins with, such as 3 of "3/2" and of "≥ 3".
var leading = regexp.MustCompile(`^(?:≥ )?([+-]?[0-9][0-9,]*(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?)(?:$|[ %/])`)

// sortedBy returns the number that a program may sort the entry by; empty for
// none.
func (e Entry) sortedBy() string {
	if e.Value != nil && e.Value.Mean.Present() {
		return strconv.FormatFloat(float64(e.Value.Mean), 'g', 10, 64)
	}
	if m := leading.FindStringSubmatch(e.Text); m != nil {
		return strings.ReplaceAll(m[1], ",", "")
	}
	if d, err := time.ParseDuration(e.Text); err == nil {
		return strconv.FormatFloat(d.Seconds(), 'g', 10, 64)
	}
	return ""
}

// whole returns the part of the entry's number that stands before its point; false
// for an entry that is no number.
func (e Entry) whole() (string, bool) {
	text := e.Text
	if e.Value != nil {
		text = e.Value.format(e.Value.Mean)
		if e.Value.Signed && e.Value.Mean > 0 {
			text = "+" + text
		}
	}
	m := leading.FindStringSubmatch(text)
	if m == nil || strings.Contains(m[1], "e") {
		return "", false
	}
	whole, _, _ := strings.Cut(m[1], ".")
	return whole, true
}

// widest returns the longest of the whole parts in each column of numbers, to which
// the others are filled up; empty for a column that has something else.
func (t Table) widest() []string {
	out := make([]string, len(t.Columns))
	for c := range t.Columns {
		for _, row := range t.rows() {
			whole, ok := row[c].whole()
			if !ok && row[c].Text != "" && row[c].Text != NoValue {
				out[c] = ""
				break
			}
			if len(whole) > len(out[c]) {
				out[c] = whole
			}
		}
	}
	return out
}

// blank returns a space as wide as a digit or a comma.
func blank(r rune) rune {
	if r == ',' {
		return '\u2008'
	}
	return '\u2007'
}
