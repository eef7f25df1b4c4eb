package table

import (
	"io"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// fit is how hard a table is pressed to fit a width.
type fit struct {
	shape shape
	words int // where titles and texts are wrapped, unless the shape is loose
}

// shape is what stands side by side.
type shape int

const (
	loose   shape = iota // an entry is one line
	stacked              // intervals and published deviations have a line of their own
	folded               // published values stand below ours instead of beside them
)

// fits are tried in this order.
var fits = []fit{{shape: loose}, {stacked, 40}, {stacked, 30}, {stacked, 24}, {stacked, 20}, {stacked, narrowest}, {folded, narrowest}}

// narrowest is the width of a title that still can be read.
const narrowest = 14

// grid is the table without what stands above and below it.
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
	var out strings.Builder
	table := newGrid(&out, underHeads())
	table.Header(heads)
	if err := table.Bulk(rows); err != nil {
		return "", err
	}
	if err := table.Render(); err != nil {
		return "", err
	}
	return trimLines(out.String()), nil
}

// newGrid is a table that prints what it is given: no wrapping, no change of
// case.
func newGrid(w io.Writer, r tw.Renderer) *tablewriter.Table {
	verbatim := tw.CellConfig{
		Formatting: tw.CellFormatting{AutoFormat: tw.Off, AutoWrap: tw.WrapNone},
		Alignment:  tw.CellAlignment{Global: tw.AlignLeft},
	}
	return tablewriter.NewTable(w, tablewriter.WithRenderer(r), tablewriter.WithConfig(
		tablewriter.Config{Header: verbatim, Row: verbatim, Behavior: tw.Behavior{TrimSpace: tw.Off}}))
}

// underHeads draws no lines but the one under the heads.
func underHeads() tw.Renderer {
	return renderer.NewBlueprint(tw.Rendition{
		Borders: tw.BorderNone,
		Symbols: tw.NewSymbols(tw.StyleLight),
		Settings: tw.Settings{
			Separators: tw.Separators{BetweenColumns: tw.Off, BetweenRows: tw.Off},
			Lines:      tw.Lines{ShowHeaderLine: tw.On},
		},
	})
}

// heads puts the title of a group over the first of its columns. All heads
// end on the same line.
func (t Table) heads(s style, f fit) []string {
	var heads [][]string
	tallest := 0
	for c, column := range t.Columns {
		var lines []string
		if column.Group != "" && (c == 0 || t.Columns[c-1].Group != column.Group) {
			lines = f.title(s.text(column.Group))
		}
		head := s.text(column.Head) + superscript(column.Notes)
		if column.Kind == Ranks {
			lines = strings.Fields(head) // narrow, like its numbers
		} else {
			lines = append(lines, head)
		}
		if f.shape == folded && column.Kind == Published {
			heads[len(heads)-1] = append(heads[len(heads)-1], lines...)
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
		lines := s.lines(t.Columns[c].Kind, e)
		switch {
		case f.shape == loose:
			texts = append(texts, strings.Join(lines, " "))
		case t.Columns[c].Kind == Text:
			texts = append(texts, strings.Join(f.title(lines[0]), "\n"))
		case f.shape == folded && t.Columns[c].Kind == Published:
			if e.Value != nil || len(e.Notes) > 0 {
				texts[len(texts)-1] += "\n" + s.text(t.Columns[c].publisher()) + " " + strings.Join(lines, " ")
			}
		default:
			texts = append(texts, strings.Join(lines, "\n"))
		}
	}
	return texts
}

// title is a title of any length in lines.
func (f fit) title(text string) []string {
	if f.shape == loose {
		return []string{text}
	}
	return wrap(text, f.words)
}
