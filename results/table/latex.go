package table

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"dgsbench/internal/escape"
	"dgsbench/internal/lists"
)

// latexHead begins a document of tables. Every distribution has the packages.
const latexHead = `\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{textcomp}
\usepackage{graphicx}
\usepackage[a4paper,landscape,margin=15mm]{geometry}
\begin{document}
`

// WriteLaTeX writes a document of tables. What is between its \begin and \end
// can be copied into another one, which needs graphicx.
func WriteLaTeX(w io.Writer, tables []Table) error {
	out := bytes.NewBufferString(latexHead)
	for _, t := range tables {
		t.writeLaTeX(out)
	}
	out.WriteString("\\end{document}\n")
	_, err := w.Write(out.Bytes())
	return err
}

var latexStyle = style{
	text: escape.LaTeX, best: around(`\textbf{`, "}"), second: around(`\underline{`, "}"), marks: "bold: best, underlined: second",
	numbers: raised(`\textsuperscript{`, "}", strconv.Itoa),
}

// writeLaTeX gives every part of the table a page, shrunk where it is larger.
// Legend and footnotes follow the last one as text, which may go on overleaf.
func (t Table) writeLaTeX(out *bytes.Buffer) {
	s := latexStyle
	for i, part := range t.split(func(part Table) bool { return len(part.Columns) <= latexColumns }) {
		if i > 0 {
			out.WriteString("\\clearpage\n")
		}
		out.WriteString("\n\\begin{table}[!tp]\n")
		if i == 0 {
			fmt.Fprintf(out, "\\caption{%s}\n\\label{tab:%s}\n", escape.LaTeX(t.Title), t.Name)
		} else {
			fmt.Fprintf(out, "\\addtocounter{table}{-1}\n\\caption{%s, continued}\n", escape.LaTeX(t.Title))
		}
		out.WriteString("\\centering\\small\n" + latexShrunk)
		part.writeTabular(out, s)
		out.WriteString("}}\n\\end{table}\n")
	}
	fmt.Fprintf(out, "\n{\\footnotesize\\raggedright\\noindent\n%s\n", joinLegend(s.legend(t)))
	for i, note := range t.Notes {
		fmt.Fprintf(out, "\n\\noindent\\textsuperscript{%d} %s\n", i+1, escape.LaTeX(note))
	}
	for _, line := range t.origin() {
		fmt.Fprintf(out, "\n\\noindent %s: \\texttt{%s}\n", line.What, escape.LaTeX(line.Text))
	}
	out.WriteString("\n}\n\\clearpage\n")
}

const (
	// latexShrunk begins what is shrunk to the height and the width of a page.
	latexShrunk = "\\resizebox*{!}{\\ifdim\\totalheight>.85\\textheight .85\\textheight\\else\\totalheight\\fi}{%\n" +
		"\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%\n"
	latexColumns = 12 // side by side on a page
	latexWords   = 32 // the length from which on a text is wrapped
)

func (t Table) writeTabular(out *bytes.Buffer, s style) {
	line := func(texts []string) { fmt.Fprintf(out, "%s \\\\\n", strings.Join(texts, " & ")) }
	fmt.Fprintf(out, "\\begin{tabular}{%s}\n\\hline\n", strings.Repeat("l", len(t.Columns)))
	if groups := t.groups(); len(groups) > 0 {
		line(lists.Map(groups, func(g columnGroup) string {
			return fmt.Sprintf(`\multicolumn{%d}{l}{%s}`, g.Columns, escape.LaTeX(g.Title))
		}))
	}
	line(lists.Map(t.Columns, func(c Column) string { return escape.LaTeX(c.Head) + s.numbers(c.Notes) }))
	for _, block := range t.Blocks {
		out.WriteString("\\hline\n")
		for _, row := range block {
			var texts []string
			for c, e := range row {
				texts = append(texts, latexEntry(e, s.lines(t.Columns[c].Kind, e)))
			}
			line(texts)
		}
	}
	out.WriteString("\\hline\n\\end{tabular}")
}

// latexEntry stacks the lines of an entry, the first of which is large. Long
// texts are wrapped.
func latexEntry(e Entry, lines []string) string {
	switch {
	case len(e.Text) > latexWords:
		return `\parbox[t]{4.5cm}{\raggedright ` + lines[0] + `\strut}`
	case len(lines) < 2:
		return strings.Join(lines, "")
	}
	return `\begin{tabular}[t]{@{}l@{}}` + lines[0] + `\\{\tiny ` + strings.Join(lines[1:], " ") + `}\end{tabular}`
}
