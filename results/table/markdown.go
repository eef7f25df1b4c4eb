package table

import (
	"bytes"
	"fmt"
	"io"
	"strconv"

	"dgsbench/internal/escape"

	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// markdownStyle marks the best as Markdown does, which has no underline of its
// own.
var markdownStyle = style{
	text: escape.Markdown, best: around("**", "**"), second: around("<u>", "</u>"), marks: "**best** and <u>second</u>",
	numbers: raised("<sup>", "</sup>", strconv.Itoa),
}

// WriteMarkdown lays the table out as Markdown, with one line of heads.
func WriteMarkdown(w io.Writer, t Table) error {
	s := markdownStyle
	var out bytes.Buffer
	fmt.Fprintf(&out, "### %s\n\n", s.text(t.Title))
	if err := WriteMarkdownGrid(&out, t); err != nil {
		return err
	}
	if legend := joinLegend(s.legend(t)); legend != "" {
		fmt.Fprintf(&out, "\n%s.\n", legend)
	}
	for i, note := range t.Notes {
		if i == 0 {
			fmt.Fprintln(&out)
		}
		fmt.Fprintf(&out, "%d. %s\n", i+1, escape.MarkdownParagraph(note))
	}
	for _, line := range t.origin() {
		fmt.Fprintf(&out, "\n%s: %s\n", line.What, escape.MarkdownCode(line.Text))
	}
	_, err := w.Write(out.Bytes())
	return err
}

// WriteMarkdownGrid writes heads and rows alone, in straight columns.
func WriteMarkdownGrid(w io.Writer, t Table) error {
	s := markdownStyle
	heads, align := make([]string, len(t.Columns)), make([]tw.Align, len(t.Columns))
	for i, c := range t.Columns {
		heads[i], align[i] = s.text(c.name())+s.numbers(c.Notes), tw.AlignLeft
		if c.Right {
			align[i] = tw.AlignRight
		}
	}
	return writeGrid(w, renderer.NewMarkdown(), heads, s.rows(t), align)
}
