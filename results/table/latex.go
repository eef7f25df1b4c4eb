package table

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"dgsbench/internal/escape"
)

// latexHead begins a document of tables. The packages are part of every
// distribution.
const latexHead = `\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{textcomp}
\usepackage{graphicx}
\usepackage[a4paper,landscape,margin=15mm]{geometry}
\begin{document}
`

// WriteLaTeX writes a document of tables. What stands between its \begin and
// \end can be taken into another one, which needs graphicx.
func WriteLaTeX(w io.Writer, tables []Table) error {
	out := bytes.NewBufferString(latexHead)
	for _, t := range tables {
		t.writeLaTeX(out)
	}
	out.WriteString("\\end{document}\n")
	_, err := w.Write(out.Bytes())
	return err
}

func latexStyle() style {
	return style{
		best:    func(s string) string { return `\textbf{` + s + `}` },
		second:  func(s string) string { return `\underline{` + s + `}` },
		marks:   "bold: best, underlined: second",
		numbers: latexNumbers, text: escape.LaTeX,
	}
}

// latexNumbers is footnote numbers, raised.
func latexNumbers(numbers []int) string {
	if len(numbers) == 0 {
		return ""
	}
	return `\textsuperscript{` + joinNumbers(numbers) + `}`
}

// writeLaTeX gives every part of the table a page, shrunk where it is larger.
// Legend and footnotes follow the last one as text, which may go on overleaf.
func (t Table) writeLaTeX(out *bytes.Buffer) {
	s := latexStyle()
	fits := func(part Table) bool { return len(part.Columns) <= latexColumns }
	for i, part := range t.narrow(fits) {
		if i > 0 {
			out.WriteString("\\clearpage\n")
		}
		out.WriteString("\n\\begin{table}[!tp]\n")
		if i == 0 {
			fmt.Fprintf(out, "\\caption{%s}\n\\label{tab:%s}\n", escape.LaTeX(t.Title), t.Name)
		} else {
			fmt.Fprintf(out, "\\addtocounter{table}{-1}\n\\caption{%s, continued}\n", escape.LaTeX(t.Title))
		}
		out.WriteString("\\centering\\small\n" + latexNotTaller + latexNotWider)
		part.writeTabular(out, s)
		out.WriteString("}}\n\\end{table}\n")
	}
	fmt.Fprintf(out, "\n{\\footnotesize\\raggedright\\noindent\n%s\n", t.fullLegend(s))
	for i, note := range t.Notes {
		fmt.Fprintf(out, "\n\\noindent\\textsuperscript{%d} %s\n", i+1, escape.LaTeX(note))
	}
	for _, line := range t.origin() {
		fmt.Fprintf(out, "\n\\noindent %s: \\texttt{%s}\n", line.What, escape.LaTeX(line.Text))
	}
	out.WriteString("\n}\n\\clearpage\n")
}

// The sizes that a part may have beside its caption.
const (
	latexNotTaller = "\\resizebox*{!}{\\ifdim\\totalheight>.85\\textheight .85\\textheight\\else\\totalheight\\fi}{%\n"
	latexNotWider  = "\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%\n"
)

// latexColumns is how many columns stand side by side on a page.
const latexColumns = 12

func (t Table) writeTabular(out *bytes.Buffer, s style) {
	fmt.Fprintf(out, "\\begin{tabular}{%s}\n\\hline\n", strings.Repeat("l", len(t.Columns)))
	if groups := t.groups(); len(groups) > 0 {
		var cells []string
		for _, g := range groups {
			cells = append(cells, fmt.Sprintf(`\multicolumn{%d}{l}{%s}`, g.Columns, escape.LaTeX(g.Title)))
		}
		fmt.Fprintf(out, "%s \\\\\n", strings.Join(cells, " & "))
	}
	var heads []string
	for _, c := range t.Columns {
		heads = append(heads, escape.LaTeX(c.Head)+s.numbers(c.Notes))
	}
	fmt.Fprintf(out, "%s \\\\\n", strings.Join(heads, " & "))
	for _, block := range t.Blocks {
		out.WriteString("\\hline\n")
		for _, row := range block {
			var cells []string
			for c, e := range row {
				cells = append(cells, latexCell(e, s.lines(t.Columns[c].Kind, e)))
			}
			fmt.Fprintf(out, "%s \\\\\n", strings.Join(cells, " & "))
		}
	}
	out.WriteString("\\hline\n\\end{tabular}")
}

// latexCell stacks the lines of an entry, the first of which is large. Long
// texts are wrapped.
func latexCell(e Entry, lines []string) string {
	switch {
	case len(e.Text) > latexWords:
		return `\parbox[t]{4.5cm}{\raggedright ` + lines[0] + `\strut}`
	case len(lines) < 2:
		return strings.Join(lines, "")
	}
	return `\begin{tabular}[t]{@{}l@{}}` + lines[0] + `\\{\tiny ` + strings.Join(lines[1:], " ") + `}\end{tabular}`
}

// latexWords is the length of a text from which on it is wrapped.
const latexWords = 32
