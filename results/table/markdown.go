package table

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"dgsbench/internal/escape"

	"github.com/olekukonko/tablewriter/renderer"
)

// markdownStyle marks places as Markdown does, which has no underline of its
// own.
func markdownStyle() style {
	return style{
		best:    func(s string) string { return "**" + s + "**" },
		second:  func(s string) string { return "<u>" + s + "</u>" },
		marks:   "**best** and <u>second</u>",
		numbers: markdownNumbers, text: escape.Markdown,
	}
}

// WriteMarkdown lays the table out as Markdown, with one line of heads.
func WriteMarkdown(w io.Writer, t Table) error {
	s := markdownStyle()
	var out bytes.Buffer
	fmt.Fprintf(&out, "### %s\n\n", s.text(t.Title))
	if err := t.markdownGrid(&out, s); err != nil {
		return err
	}
	if legend := t.fullLegend(s); legend != "" {
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

func (t Table) markdownGrid(out *bytes.Buffer, s style) error {
	table := newGrid(out, renderer.NewMarkdown())
	var heads []string
	for _, c := range t.Columns {
		heads = append(heads, s.text(c.name())+markdownNumbers(c.Notes))
	}
	table.Header(heads)
	for _, block := range t.Blocks {
		for _, row := range block {
			var texts []string
			for c, e := range row {
				texts = append(texts, strings.Join(s.lines(t.Columns[c].Kind, e), " "))
			}
			if err := table.Append(texts); err != nil {
				return err
			}
		}
	}
	return table.Render()
}

// markdownNumbers is footnote numbers, raised.
func markdownNumbers(numbers []int) string {
	if len(numbers) == 0 {
		return ""
	}
	return "<sup>" + joinNumbers(numbers) + "</sup>"
}
