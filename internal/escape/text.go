// Package escape makes texts safe to print. They come from titles, names,
// paths and error messages, which others may have written. There is one function
// per format; what it returns is only text in that format. JSON is left to
// encoding/json.
package escape

import (
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
)

// Text returns the text in one line, without anything that a terminal executes or
// that changes the reading order: control characters of ASCII become Unicode's
// pictures of them, such as ␛ and ␊; other invisible characters (C1 controls,
// directions, line separators) and bytes that are not UTF-8 become �.
func Text(s string) string { return strings.Map(visible, s) }

// Lines is Text that keeps line ends.
func Lines(s string) string { return strings.Map(visibleInLines, s) }

// Message is Lines with all lines but the first indented, so that none of them,
// which may be a file's name, looks like a message of its own.
func Message(s string) string { return indented(Lines(s)) }

func indented(s string) string {
	body := strings.TrimSuffix(s, "\n")
	return strings.ReplaceAll(body, "\n", "\n  ") + s[len(body):]
}

func visible(r rune) rune {
	const pictures = '␀' // of the control characters, in their order
	switch {
	case r < ' ':
		return pictures + r
	case r == 0x7f:
		return '␡'
	case !unicode.IsGraphic(r):
		return utf8.RuneError
	}
	return r
}

func visibleInLines(r rune) rune {
	if r == '\n' {
		return r
	}
	return visible(r)
}

// Writer writes through Lines. It is safe for concurrent use.
type Writer struct {
	Under io.Writer // where it writes to

	mu       sync.Mutex
	out      *transform.Writer
	messages bool
}

// NewWriter returns a Writer to under.
func NewWriter(under io.Writer) *Writer {
	return &Writer{Under: under, out: transform.NewWriter(under, runes.Map(visibleInLines))}
}

// NewMessageWriter returns a Writer to under that writes each Write as a Message.
func NewMessageWriter(under io.Writer) *Writer {
	w := NewWriter(under)
	w.messages = true
	return w
}

// Write writes p. It keeps an incomplete character until the rest of it comes.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.messages {
		if _, err := w.out.Write([]byte(indented(string(p)))); err != nil {
			return 0, err
		}
		return len(p), nil
	}
	return w.out.Write(p)
}
