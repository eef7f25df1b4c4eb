package table

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"dgsbench/internal/lists"
)

// Screen is where tables are printed for people.
type Screen struct {
	Width    int  // of a line in columns
	Terminal bool // the best is bold and the second underlined, instead of marked with * and +
	AllNotes bool // prints all footnotes of a table, instead of at most maxNotes
}

// maxNotes is the number of footnotes that are printed below a table.
const maxNotes = 3

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

// WriteText lays tables out for people, in lines of the screen's width but for the
// commands and files that they come from. An entry is never broken: what is too wide
// is cut into parts below each other, and only a text that is wider than the
// screen is wrapped. What several tables have in common, in their legends and about
// where they come from, is printed once.
func WriteText(w io.Writer, screen Screen, tables ...Table) error {
	s := plainStyle
	if screen.Terminal {
		s = terminalStyle
	}
	var out bytes.Buffer
	explained, left := map[string]bool{}, 0
	for i, t := range tables {
		if i > 0 {
			fmt.Fprintln(&out)
		}
		if !screen.AllNotes {
			left += max(0, len(t.Notes)-maxNotes)
			t = t.brief(maxNotes)
		}
		if err := t.writeGrids(&out, s, screen.Width); err != nil {
			return err
		}
		legend := slices.DeleteFunc(s.legend(t), func(line string) bool { return explained[line] })
		for _, line := range legend {
			explained[line] = true
		}
		if len(legend) > 0 {
			fmt.Fprintln(&out, strings.Join(Wrap(joinLegend(legend), screen.Width), "\n"))
		}
		for n, note := range t.Notes {
			lines := Wrap(superscript([]int{n + 1})+" "+s.text(note), screen.Width-2)
			fmt.Fprintln(&out, strings.Join(lines, "\n  "))
		}
		if i == len(tables)-1 || !slices.Equal(t.origin(), tables[i+1].origin()) {
			if left > 0 {
				fmt.Fprintf(&out, "More notes (%d): %s\n", left, t.notesCommand())
				left = 0
			}
			for _, line := range t.origin() {
				fmt.Fprintf(&out, "%s: %s\n", line.What, s.text(line.Text))
			}
		}
	}
	_, err := w.Write(out.Bytes())
	return err
}

// notesCommand returns the command that prints the table with all of its footnotes.
func (t Table) notesCommand() string {
	flags := strings.TrimPrefix(strings.TrimPrefix(t.Command, "bench all"), "bench latency")
	if flags == t.Command {
		flags = ""
	}
	return "bench tables" + flags + " --notes"
}

// writeGrids writes the title and the parts of the table.
func (t Table) writeGrids(out *bytes.Buffer, s style, width int) error {
	fmt.Fprintln(out, strings.Join(Wrap(s.text(t.Title), width), "\n"))
	var err error
	fits := func(f fit) func(Table) bool {
		return func(part Table) bool {
			grid, gridErr := part.grid(plainStyle, f)
			err = cmp.Or(err, gridErr)
			for line := range strings.Lines(grid) {
				if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > width {
					return false
				}
			}
			return true
		}
	}
	parts, f := []Table{t}, fit{}
	if !fits(f)(t) {
		f.heads = narrowHead
		parts = t.split(fits(f))
	}
	for _, part := range parts {
		for f.texts = 0; !fits(f)(part) && f.texts != narrowest && err == nil; {
			f.texts = max(narrowest, cmp.Or(f.texts, width)-8)
		}
		grid, gridErr := part.grid(s, f)
		err = cmp.Or(err, gridErr)
		fmt.Fprintf(out, "\n%s", grid)
	}
	fmt.Fprintln(out)
	return err
}

// brief returns the table with n footnotes at most: its KeyNotes, and then the
// first ones.
func (t Table) brief(n int) Table {
	if len(t.Notes) <= n {
		return t
	}
	kept := map[string]bool{}
	for _, note := range slices.Concat(t.KeyNotes, t.Notes) {
		if len(kept) < n && slices.Contains(t.Notes, note) {
			kept[note] = true
		}
	}
	cut := func(numbers []int) []int {
		return slices.DeleteFunc(slices.Clone(numbers), func(k int) bool { return !kept[t.Notes[k-1]] })
	}
	t.Columns = lists.Map(t.Columns, func(c Column) Column { c.Notes = cut(c.Notes); return c })
	t.Blocks = lists.Map(t.Blocks, func(block []Row) []Row {
		return lists.Map(block, func(row Row) Row {
			return lists.Map(row, func(e Entry) Entry { e.Notes = cut(e.Notes); return e })
		})
	})
	t.Renumber()
	return t
}

// fit is how a table is narrowed: widths in columns at which heads and texts are
// wrapped, or 0 where they are not.
type fit struct{ heads, texts int }

// narrowHead and narrowest are the widths of titles and of texts that still can
// be read.
const narrowHead, narrowest = 24, 14

// Wrap breaks a text between words into lines of at most the width, if its
// words allow it. A width of 0 stands for no limit.
func Wrap(text string, width int) []string {
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
			lines = Wrap(s.text(column.Group), f.heads)
		}
		head := s.text(column.Head) + s.numbers(column.Notes)
		if column.Kind == Ranks {
			lines = strings.Fields(head) // narrow, like its numbers
		} else {
			lines = append(lines, head)
		}
		heads = append(heads, lines)
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
		text := strings.Join(s.lines(t.Columns[c].Kind, e), " ")
		if t.Columns[c].Kind == Text {
			text = strings.Join(Wrap(text, f.texts), "\n")
		}
		texts = append(texts, text)
	}
	return texts
}
