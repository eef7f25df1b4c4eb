package escape

import (
	"fmt"
	"strings"
	"unicode"
)

// latexSigns are the characters with a meaning in LaTeX, and those of our own
// texts that are not in its fonts under their code.
var latexSigns = strings.NewReplacer(
	`\`, `\textbackslash{}`, `{`, `\{`, `}`, `\}`, `$`, `\$`, `&`, `\&`, `#`, `\#`, `%`, `\%`, `_`, `\_`,
	`^`, `\textasciicircum{}`, `~`, `\textasciitilde{}`, `<`, `\textless{}`, `>`, `\textgreater{}`, `|`, `\textbar{}`,
	`"`, `\textquotedbl{}`, `'`, `\textquotesingle{}`, "`", `\textasciigrave{}`, `--`, `-{}-`,
	`[`, `{[}`, `]`, `{]}`, `*`, `{*}`,
	`±`, `$\pm$`, `–`, `--`, `—`, `---`, `≈`, `$\approx$`, `×`, `$\times$`, `α`, `$\alpha$`, `β`, `$\beta$`, `η`, `$\eta$`, `Δ`, `$\Delta$`,
)

// LaTeX is the text as LaTeX prints it. Characters that pdfLaTeX has no font
// for are named by their number.
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
