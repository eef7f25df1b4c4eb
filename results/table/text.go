package table

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"dgsbench/internal/lists"
)

// textWidth is how wide a printed table should be at most.
const textWidth = 120

// WriteList writes heads and rows in aligned columns, two spaces apart,
// without title, legend and notes. It writes no heads where all are empty.
func WriteList(w io.Writer, t Table) error {
	s := plainStyle
	s.aligned = false
	var lines [][]string
	heads := lists.Map(t.Columns, func(c Column) string { return s.text(c.Head) })
	if strings.Join(heads, "") != "" {
		lines = append(lines, heads)
	}
	lines = append(lines, s.rows(t)...)
	for c, column := range t.Columns {
		if column.Right {
			alignRight(lines, c)
		}
	}
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, line := range lines {
		fmt.Fprintln(out, strings.Join(line, "\t")) // errors stay until Flush
	}
	return out.Flush()
}

// alignRight pads a column on the left.
func alignRight(lines [][]string, column int) {
	width := 0
	for _, line := range lines {
		width = max(width, utf8.RuneCountInString(line[column]))
	}
	for _, line := range lines {
		line[column] = fmt.Sprintf("%*s", width, line[column])
	}
}

// WriteText lays the table out for people: within 120 columns where that is
// possible, with bold and underlined entries on a terminal, and with * and +
// elsewhere. What stays too wide is cut into parts below each other.
func WriteText(w io.Writer, t Table, terminal bool) error {
	s := plainStyle
	if terminal {
		s = terminalStyle
	}
	parts, f, err := t.fit()
	if err != nil {
		return err
	}
	var out bytes.Buffer
	fmt.Fprintln(&out, strings.Join(wrap(s.text(t.Title), textWidth), "\n"))
	for _, part := range parts {
		grid, err := part.grid(s, f)
		if err != nil {
			return err
		}
		fmt.Fprintf(&out, "\n%s", grid)
	}
	fmt.Fprintln(&out)
	if legend := s.legend(t); legend != "" {
		fmt.Fprintln(&out, strings.Join(wrap(legend, textWidth), "\n"))
	}
	for i, note := range t.Notes {
		lines := wrap(superscript([]int{i + 1})+" "+s.text(note), textWidth-2)
		fmt.Fprintln(&out, strings.Join(lines, "\n  "))
	}
	for _, line := range t.origin() {
		fmt.Fprintf(&out, "%s: %s\n", line.What, s.text(line.Text))
	}
	_, err = w.Write(out.Bytes())
	return err
}

// fit is how a table is narrowed to fit a width. Unless words is 0, titles and
// texts are wrapped there, and intervals and published deviations have a line of
// their own.
type fit struct {
	words  int
	folded bool // published values are below ours instead of beside them
}

// narrowest is the width of a title that still can be read.
const narrowest = 14

// fits are tried in this order.
var fits = []fit{{}, {words: 40}, {words: 30}, {words: 24}, {words: 20}, {words: narrowest}, {words: narrowest, folded: true}}

// fit returns the loosest layout within the width, the same for all styles,
// and the parts of the table that it fits.
func (t Table) fit() (parts []Table, f fit, err error) {
	fitting := func(part Table) bool {
		grid, gridErr := part.grid(plainStyle, f)
		err = cmp.Or(err, gridErr)
		widest := 0
		for line := range strings.Lines(grid) {
			widest = max(widest, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")))
		}
		return widest <= textWidth
	}
	for _, f = range fits {
		if fitting(t) || err != nil {
			return []Table{t}, f, err
		}
	}
	f = fit{words: narrowest}
	return t.split(fitting), f, err
}

// wrap breaks a text between words, unless width is 0.
func wrap(text string, width int) []string {
	if width == 0 {
		return []string{text}
	}
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		longer := joinWords(line, word)
		if line != "" && utf8.RuneCountInString(longer) > width {
			lines, longer = append(lines, line), word
		}
		line = longer
	}
	return append(lines, line)
}

// grid returns the table without title, legend and notes.
func (t Table) grid(s style, f fit) (string, error) {
	heads := t.heads(s, f)
	var rows [][]string
	for i, block := range t.Blocks {
		if i > 0 {
			rows = append(rows, make([]string, len(heads))) // an empty line
		}
		for _, row := range block {
			rows = append(rows, t.textRow(s, f, row))
		}
	}
	ruled := renderer.NewBlueprint(tw.Rendition{ // a single line, under the heads
		Borders: tw.BorderNone,
		Symbols: tw.NewSymbols(tw.StyleLight),
		Settings: tw.Settings{
			Separators: tw.Separators{BetweenColumns: tw.Off, BetweenRows: tw.Off},
			Lines:      tw.Lines{ShowHeaderLine: tw.On},
		},
	})
	var out strings.Builder
	if err := writeGrid(&out, ruled, heads, rows, nil); err != nil {
		return "", err
	}
	var trimmed strings.Builder
	for line := range strings.Lines(out.String()) {
		trimmed.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return trimmed.String(), nil
}

// writeGrid prints cells as they are: no wrapping, no change of case. The
// columns are aligned to the left unless align says otherwise.
func writeGrid(w io.Writer, r tw.Renderer, heads []string, rows [][]string, align []tw.Align) error {
	verbatim := tw.CellConfig{
		Formatting: tw.CellFormatting{AutoFormat: tw.Off, AutoWrap: tw.WrapNone},
		Alignment:  tw.CellAlignment{Global: tw.AlignLeft, PerColumn: align},
	}
	out := tablewriter.NewTable(w, tablewriter.WithRenderer(r), tablewriter.WithConfig(
		tablewriter.Config{Header: verbatim, Row: verbatim, Behavior: tw.Behavior{TrimSpace: tw.Off}}))
	out.Header(heads)
	if err := out.Bulk(rows); err != nil {
		return err
	}
	return out.Render()
}

// heads puts the title of a group over the first of its columns. All heads
// end on the same line.
func (t Table) heads(s style, f fit) []string {
	var heads [][]string
	tallest := 0
	for c, column := range t.Columns {
		var lines []string
		if column.Group != "" && (c == 0 || t.Columns[c-1].Group != column.Group) {
			lines = wrap(s.text(column.Group), f.words)
		}
		head := s.text(column.Head) + s.numbers(column.Notes)
		if column.Kind == Ranks {
			lines = strings.Fields(head) // narrow, like its numbers
		} else {
			lines = append(lines, head)
		}
		if f.folded && column.Kind == Published {
			last := len(heads) - 1
			heads[last] = append(heads[last], lines...)
		} else {
			heads = append(heads, lines)
		}
		tallest = max(tallest, len(heads[len(heads)-1]))
	}
	texts := make([]string, len(heads))
	for i, lines := range heads {
		texts[i] = strings.Repeat("\n", tallest-len(lines)) + strings.Join(lines, "\n")
	}
	return texts
}

func (t Table) textRow(s style, f fit, row Row) []string {
	var texts []string
	for c, e := range row {
		column := t.Columns[c]
		lines := s.lines(column.Kind, e)
		switch {
		case f.words == 0:
			texts = append(texts, strings.Join(lines, " "))
		case column.Kind == Text:
			texts = append(texts, strings.Join(wrap(lines[0], f.words), "\n"))
		case f.folded && column.Kind == Published:
			if e.Value != nil || len(e.Notes) > 0 {
				texts[len(texts)-1] += "\n" + s.text(column.publisher()) + " " + strings.Join(lines, " ")
			}
		default:
			texts = append(texts, strings.Join(lines, "\n"))
		}
	}
	return texts
}
