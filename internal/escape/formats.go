package escape

import (
	"encoding/csv"
	"fmt"
	"html"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// HTML returns the text as content of an element or value of a quoted attribute.
func HTML(s string) string { return html.EscapeString(Text(s)) }

// Markdown returns the text as a part of a line: of a title, a paragraph, a cell
// of a table.
func Markdown(s string) string {
	text := []rune(Text(s))
	at := func(i int, is func(rune) bool) bool { return i >= 0 && i < len(text) && is(text[i]) }
	var out strings.Builder
	for i, r := range text {
		special := strings.ContainsRune("\\`*<|~$", r)
		switch r {
		case '_': // has no meaning within a word
			special = !at(i-1, isWord) || !at(i+1, isWord)
		case '&':
			special = at(i+1, func(r rune) bool { return isWord(r) || r == '#' })
		case ']':
			special = at(i+1, func(r rune) bool { return r == '(' })
		}
		if special {
			out.WriteByte('\\')
		}
		out.WriteRune(r)
	}
	return out.String()
}

// markdownStart matches the start of a paragraph that would make it a heading, a
// list, a quotation or the definition of a link.
var markdownStart = regexp.MustCompile(`^(?:[-+#>=]|[0-9]+[.)](?: |$)|\[[^\]]*\]: *[^ ]* *(?:$|["'(]))`)

// MarkdownParagraph returns the text as a paragraph, or as the first one of an
// item.
func MarkdownParagraph(s string) string {
	s = strings.TrimLeft(Markdown(s), " ")
	if markdownStart.MatchString(s) {
		sign := len(s) - len(strings.TrimLeft(s, "0123456789"))
		return s[:sign] + `\` + s[sign:]
	}
	return s
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// MarkdownCode returns the text as a code span.
func MarkdownCode(s string) string {
	s = Text(s)
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + s + fence
}

// WriteCSV writes lines of cells, for files that people open in a spreadsheet.
func WriteCSV(w io.Writer, lines [][]string) error {
	out := csv.NewWriter(w)
	for _, cells := range lines {
		safe := make([]string, len(cells))
		for i, cell := range cells {
			safe[i] = csvCell(cell)
		}
		out.Write(safe) // errors stay until Flush
	}
	out.Flush()
	return out.Error()
}

// csvCell puts an apostrophe before what a spreadsheet would evaluate as a
// formula. Numbers stay as they are.
func csvCell(s string) string {
	s = Text(s)
	if _, err := strconv.ParseFloat(s, 64); err != nil && strings.IndexAny(s, "=+-@＝＋－＠") == 0 {
		return "'" + s
	}
	return s
}

// latexSigns replaces the characters with a meaning in LaTeX, and those of our
// own texts that its fonts do not have under their code.
var latexSigns = strings.NewReplacer(
	`\`, `\textbackslash{}`, `{`, `\{`, `}`, `\}`, `$`, `\$`, `&`, `\&`, `#`, `\#`, `%`, `\%`, `_`, `\_`,
	`^`, `\textasciicircum{}`, `~`, `\textasciitilde{}`, `<`, `\textless{}`, `>`, `\textgreater{}`, `|`, `\textbar{}`,
	`"`, `\textquotedbl{}`, `'`, `\textquotesingle{}`, "`", `\textasciigrave{}`, `--`, `-{}-`,
	`[`, `{[}`, `]`, `{]}`, `*`, `{*}`,
	`±`, `$\pm$`, `–`, `--`, `—`, `---`, `≈`, `$\approx$`, `×`, `$\times$`, `α`, `$\alpha$`, `β`, `$\beta$`, `η`, `$\eta$`, `Δ`, `$\Delta$`,
)

// LaTeX returns the text in LaTeX. Characters for which pdfLaTeX has no font are
// written as their numbers.
func LaTeX(text string) string {
	var out strings.Builder
	for _, r := range latexSigns.Replace(text) {
		switch {
		case r == '\n' || r == '\t':
			out.WriteByte(' ')
		case r > 0xff || !unicode.IsGraphic(r):
			fmt.Fprintf(&out, "U+%04X", r)
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}
