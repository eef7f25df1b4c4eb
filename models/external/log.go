package external

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"dgsbench/internal/escape"
)

// Sizes of logs.
const (
	maxLog    = 64 << 20 // bytes of a process that are kept in the file
	tailBytes = 2 << 10  // of the last lines
	tailLines = 8
)

// log takes what a process writes to standard error: it appends it to a file, which
// is made when there is something to write, and keeps the last lines.
type log struct {
	file string // "" for none

	mu      sync.Mutex
	to      *os.File
	failed  bool
	written int
	tail    []byte
}

// Write never fails: what cannot be kept is lost.
func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tail = append(l.tail, p...)
	if len(l.tail) > 2*tailBytes {
		l.tail = append(l.tail[:0], l.tail[len(l.tail)-tailBytes:]...)
	}
	if l.to == nil && l.file != "" && !l.failed {
		err := os.MkdirAll(filepath.Dir(l.file), 0o777)
		if err == nil {
			l.to, err = os.OpenFile(l.file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
		}
		l.failed = err != nil
	}
	if l.to != nil && l.written < maxLog {
		n, _ := l.to.Write(p[:min(len(p), maxLog-l.written)])
		l.written += n
	}
	return len(p), nil
}

func (l *log) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.to != nil {
		l.to.Close()
	}
	l.to, l.failed = nil, true
}

// last returns the last lines for the end of a message, or nothing.
func (l *log) last() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := bytes.TrimSpace(l.tail)
	if len(text) == 0 {
		return ""
	}
	lines := strings.Split(escape.Lines(string(text[max(0, len(text)-tailBytes):])), "\n")
	lines = lines[max(0, len(lines)-tailLines):]
	out := "; its standard error ends with:\n" + strings.Join(lines, "\n")
	if l.file != "" {
		out += "\n(all of it is in " + l.file + ")"
	}
	return out
}
