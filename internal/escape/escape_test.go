package escape_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"unicode"
	"unicode/utf8"

	"dgsbench/internal/escape"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	unsafe "github.com/yuin/goldmark/renderer/html"
	"golang.org/x/net/html"
)

// hostile texts have done harm somewhere.
var hostile = []string{
	"", "plain, a_b 10% of [low, high] & more", "\x1b[2J\x1b]0;title\x07", "two\nlines\r\x00\x7f", "\u009b31m\u0085", "\u202egnp.exe\u2066",
	"\xff\xc3", "\u2028\u2029\u200b\ufeff\u00ad", "<script>alert(1)</script>", `" onmouseover="alert(1)`, "' onload='x", "&lt;b&gt; &#60;", "--><!--",
	"`code` ``` ~~~", "ends`", "`begins", "`", "a|b\\|c\\\\|d\\", "![x](javascript:alert(1))", "[x]: http://example.com", "[x]:", "# head", "1. one", "23) x", "- - -", "> said",
	"<http://example.com>", "**bold** __init__ _x_ ~~no~~ a*b*c", "$x$", "\\input{/etc/passwd} {%\n}^^5c", "=1+1", "+1", "-1", "@SUM(1)", "-0.5", "-cmd|' /C calc'!A0",
	"=HYPERLINK(\"http://example.com\")", "＝1", "\t=1", "\r=1", "    code", "   # x", "==", "+Inf", "-1e5",
}

func fuzz(f *testing.F, check func(t *testing.T, text string)) {
	for _, text := range hostile {
		f.Add(text)
	}
	f.Fuzz(check)
}

// checkPlain fails unless the text has nothing but characters with a shape, on
// one line.
func checkPlain(t *testing.T, text string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Errorf("%q is not UTF-8", text)
	}
	for _, r := range text {
		if !unicode.IsGraphic(r) {
			t.Errorf("%q has %U", text, r)
		}
	}
}

// FuzzText: what is printed has no control characters, and what has none is
// left alone. A Writer, given the same in any portions, writes the same with
// its ends of lines.
func FuzzText(f *testing.F) {
	fuzz(f, func(t *testing.T, text string) {
		one := escape.Text(text)
		checkPlain(t, one)
		if again := escape.Text(one); again != one {
			t.Errorf("%q becomes %q, and that %q", text, one, again)
		}
		lines := escape.Lines(text)
		if escape.Text(lines) != one || strings.Count(lines, "\n") != strings.Count(text, "\n") {
			t.Errorf("lines of %q are %q", text, lines)
		}
		if !utf8.ValidString(text) {
			return // where a byte is not UTF-8, how many � stand for it is not promised
		}
		var out bytes.Buffer
		if n, err := io.Copy(struct{ io.Writer }{escape.NewWriter(&out)}, iotest.OneByteReader(strings.NewReader(text))); err != nil || int(n) != len(text) {
			t.Errorf("wrote %d of %d bytes (%v)", n, len(text), err)
		}
		if out.String() != lines {
			t.Errorf("%q is written as %q, expected %q", text, out.String(), lines)
		}
	})
}

// TestText: signs stand for what is replaced.
func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"\x1b[1m\r\n\t\x7f": "␛[1m␍␊␉␡", "\u202e\u009b\xff": "���", "Zürich ±3 ≈ ⁰¹²": "Zürich ±3 ≈ ⁰¹²",
	} {
		if got := escape.Text(text); got != want {
			t.Errorf("%q becomes %q, expected %q", text, got, want)
		}
	}
}

// TestWriterFails: the error of what is below is not lost.
func TestWriterFails(t *testing.T) {
	full := errors.New("disk full")
	reader, writer := io.Pipe()
	reader.CloseWithError(full)
	if _, err := fmt.Fprintln(escape.NewWriter(writer), "text"); !errors.Is(err, full) {
		t.Errorf("got %v, expected %v", err, full)
	}
}

// FuzzHTML: what a browser reads, as content and as an attribute, is the text
// and nothing else.
func FuzzHTML(f *testing.F) {
	fuzz(f, func(t *testing.T, text string) {
		escaped := escape.HTML(text)
		checkPlain(t, escaped)
		tokens := html.NewTokenizer(strings.NewReader(`<p title="` + escaped + `">` + escaped + `</p>`))
		tokens.Next()
		start := tokens.Token()
		if len(start.Attr) != 1 || start.Attr[0].Val != escape.Text(text) {
			t.Fatalf("%q: attributes %q", text, start.Attr)
		}
		content := ""
		for kind := tokens.Next(); kind == html.TextToken; kind = tokens.Next() {
			content += tokens.Token().Data
		}
		if end := tokens.Token(); content != escape.Text(text) || end.Type != html.EndTagToken || end.Data != "p" {
			t.Errorf("%q: read as %q, then %v", text, content, end)
		}
	})
}

// FuzzMarkdown: a title, a note and a cell that a Markdown reader with tables
// makes of it have the text and nothing else.
func FuzzMarkdown(f *testing.F) {
	reader := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough), goldmark.WithRendererOptions(unsafe.WithUnsafe()))
	fuzz(f, func(t *testing.T, text string) {
		if text == "" {
			return // no code span is empty
		}
		inline, paragraph, code := escape.Markdown(text), escape.MarkdownParagraph(text), escape.MarkdownCode(text)
		checkPlain(t, inline+paragraph+code)
		var rendered bytes.Buffer
		source := "### .. " + inline + " ..\n\n| .. " + inline + " .. | b |\n|---|---|\n| .. " + inline + " .. | d |\n\n1. " + paragraph + " ..\n2. x\n\n" +
			paragraph + " ..\n\nMade by: " + code + "\n"
		if err := reader.Convert([]byte(source), &rendered); err != nil {
			t.Fatal(err)
		}
		shape, texts := readHTML(t, rendered.String())
		const want = "h3 table thead tr th th tbody tr td td ol li li p p code"
		if shape != want {
			t.Fatalf("%q: elements %s, expected %s, in\n%s\n%s", text, shape, want, source, rendered.String())
		}
		got, expected := spaced(texts), spaced(escape.Text(text))
		if n := strings.Count(got, expected); n < 6 {
			t.Errorf("%q: stands %d times in %q, of\n%s", text, n, got, source)
		}
	})
}

// spaced has nothing but what is between spaces: readers of Markdown drop some.
func spaced(text string) string { return strings.Join(strings.FieldsFunc(text, unicode.IsSpace), "") }

// readHTML are the elements of a document, none of them with attributes but
// for numbers of lists and alignment, and all of its text.
func readHTML(t *testing.T, document string) (shape, text string) {
	t.Helper()
	var names []string
	for tokens := html.NewTokenizer(strings.NewReader(document)); ; {
		switch tokens.Next() {
		case html.ErrorToken:
			return strings.Join(names, " "), text
		case html.StartTagToken, html.SelfClosingTagToken:
			token := tokens.Token()
			names = append(names, token.Data)
			if len(token.Attr) > 0 {
				t.Errorf("%s has attributes %v", token.Data, token.Attr)
			}
		case html.TextToken:
			text += tokens.Token().Data
		case html.CommentToken, html.DoctypeToken:
			t.Errorf("a comment %s", tokens.Token())
		}
	}
}

// FuzzLaTeX: nothing is left that has a meaning but our own commands, and
// groups are closed.
func FuzzLaTeX(f *testing.F) {
	fuzz(f, func(t *testing.T, text string) {
		escaped := escape.LaTeX(text)
		checkPlain(t, escaped)
		for _, known := range []string{
			`\textbackslash{}`, `\textasciicircum{}`, `\textasciitilde{}`, `\textless{}`, `\textgreater{}`, `\textbar{}`, `\textquotedbl{}`, `\textquotesingle{}`,
			`\textasciigrave{}`, `\{`, `\}`, `\$`, `\&`, `\#`, `\%`, `\_`, `-{}-`, `{[}`, `{]}`, `{*}`, `$\pm$`, `$\approx$`, `$\times$`, `$\alpha$`, `$\beta$`, `$\eta$`, `$\Delta$`,
		} {
			escaped = strings.ReplaceAll(escaped, known, "")
		}
		if i := strings.IndexAny(escaped, `\{}$&#%_^~`); i >= 0 {
			t.Errorf("%q: %q is left", text, escaped[i:])
		}
		for _, r := range escaped {
			if r > 0xff && r != '–' && r != '—' {
				t.Errorf("%q: %U has no font", text, r)
			}
		}
	})
}

// FuzzCSV: a reader gets as many cells, none of which begins a formula.
// Numbers stay what they are.
func FuzzCSV(f *testing.F) {
	fuzz(f, func(t *testing.T, text string) {
		var out bytes.Buffer
		if err := escape.WriteCSV(&out, [][]string{{"first", text, "last"}}); err != nil {
			t.Fatal(err)
		}
		lines, err := csv.NewReader(&out).ReadAll()
		if err != nil || len(lines) != 1 || len(lines[0]) != 3 {
			t.Fatalf("%q: read as %q (%v)", text, lines, err)
		}
		cell := lines[0][1]
		checkPlain(t, cell)
		if strings.TrimPrefix(cell, "'") != strings.TrimPrefix(escape.Text(text), "'") {
			t.Errorf("%q: read as %q", text, cell)
		}
		_, err = strconv.ParseFloat(text, 64)
		if isNumber := err == nil; isNumber && cell != text {
			t.Errorf("the number %s became %q", text, cell)
		} else if !isNumber && cell != "" && strings.ContainsRune("=+-@＝＋－＠", []rune(cell)[0]) {
			t.Errorf("%q: %q is a formula", text, cell)
		}
	})
}
