// Package escapetest checks output with hostile texts in it.
package escapetest

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// Hostile is a text that would move a cursor, end a line, an attribute, a
// drawing, a cell or a group, run a script or be a formula.
const Hostile = "=1+1 \x1b[2J\x1b]0;x\x07\u009b1m\u202e\r\n| `x` </title></svg></style></script><script>alert(1)</script><img src=x onerror=alert(1)> \"' [x](javascript:alert(1)) \\end{document} %\u2028\x00"

// Harmless is a text of about the length of Hostile.
const Harmless = "a title of many words that ends no line and runs nothing, but is wrapped where a column or a page is narrow, as long titles are"

// Plain fails unless the text consists of visible characters and line ends.
func Plain(t testing.TB, what, text string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Errorf("%s is not UTF-8", what)
	}
	for i, line := range strings.Split(text, "\n") {
		for _, r := range line {
			if !unicode.IsGraphic(r) {
				t.Errorf("%s has %U in line %d: %q", what, r, i+1, line)
				break
			}
		}
	}
}

// Shape returns a page without its texts and values: elements in order, each with
// the names of its attributes. If the page of a hostile text has the shape of any
// other text's, it is only text there.
func Shape(t testing.TB, page string) string {
	t.Helper()
	var out strings.Builder
	for tokens := html.NewTokenizer(strings.NewReader(page)); ; {
		kind := tokens.Next()
		token := tokens.Token()
		switch kind {
		case html.ErrorToken:
			return out.String()
		case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken, html.CommentToken:
			fmt.Fprintf(&out, "%v %s", kind, token.Data)
			for _, a := range token.Attr {
				fmt.Fprintf(&out, " %s", a.Key)
			}
			out.WriteByte('\n')
		}
	}
}
