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

// Text is the text in one line, with nothing in it that a terminal obeys or
// that changes the order of what is read: control characters of ASCII become
// the signs that Unicode has for them, such as ␛ and ␊; other characters
// without a shape (C1 controls, directions, separators of lines) and bytes that
// are not UTF-8 become �.
func Text(s string) string { return strings.Map(visible, s) }

// Lines is Text that keeps the ends of lines.
func Lines(s string) string { return strings.Map(visibleInLines, s) }

// Message is Lines of which all but the first are indented, so that none of
// them, which may be a file's name, can pass for a message of its own.
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

// Writer writes what it is given as Lines has it. It may be used by several
// goroutines at once.
type Writer struct {
	// Under is what it writes to.
	Under io.Writer

	mu       sync.Mutex
	out      *transform.Writer
	messages bool
}

// NewWriter returns a Writer to under.
func NewWriter(under io.Writer) *Writer {
	return &Writer{Under: under, out: transform.NewWriter(under, runes.Map(visibleInLines))}
}

// NewMessageWriter returns a Writer to under of which each write is a Message.
func NewMessageWriter(under io.Writer) *Writer {
	w := NewWriter(under)
	w.messages = true
	return w
}

// Write writes p. A character that is not whole yet waits for its rest.
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
