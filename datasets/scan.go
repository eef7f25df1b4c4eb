package datasets

import (
	"bytes"
	"fmt"
	"io"
)

// longestLine bounds what a damaged file can make the reader hold: no line
// of a real file comes near it.
const longestLine = 16 << 20

// block is a run of whole lines.
type block struct {
	off, end int64 // bytes of the file
	row      int   // number of its first event
	rows     int
}

// source is an open file.
type source struct {
	r    io.ReaderAt
	name string
	size int64 // without the line ends at the end
	// headers is how many lines stand before the first event: 1 or 0.
	headers int
}

// lineOf is the line, from 1, of an event.
func (s *source) lineOf(row int) int { return row + s.headers + 1 }

// newSource leaves out the empty lines at the end of the file.
func newSource(r io.ReaderAt, name string, size int64) (*source, error) {
	s := &source{r: r, name: name, size: size}
	tail := make([]byte, 4096)
	for s.size > 0 {
		off := max(0, s.size-int64(len(tail)))
		text := tail[:s.size-off]
		if err := s.fill(text, off); err != nil {
			return nil, err
		}
		text = bytes.TrimRight(text, "\r\n")
		s.size = off + int64(len(text))
		if len(text) > 0 {
			break
		}
	}
	return s, nil
}

// fill reads len(buf) bytes.
func (s *source) fill(buf []byte, off int64) error {
	if n, err := s.r.ReadAt(buf, off); n < len(buf) {
		return fmt.Errorf("read %s: %w", s.name, err)
	}
	return nil
}

// line reads the line that starts at off, and says where the next one does.
func (s *source) line(off int64, number int) (text []byte, next int64, err error) {
	for length := int64(4096); ; length *= 2 {
		text = make([]byte, min(length, s.size-off))
		if err := s.fill(text, off); err != nil {
			return nil, 0, err
		}
		if i := bytes.IndexByte(text, '\n'); i >= 0 {
			return text[:i], off + int64(i) + 1, nil
		}
		if off+int64(len(text)) == s.size {
			return text, s.size, nil
		}
		if length > longestLine {
			return nil, 0, s.tooLong(number)
		}
	}
}

// blocks cuts the file from off on at line ends, about every size bytes, and
// counts the lines.
func (s *source) blocks(off int64, size int) ([]block, error) {
	var out []block
	b := block{off: off}
	buf := make([]byte, min(int64(size), s.size-off))
	for at := off; at < s.size; {
		text := buf[:min(int64(size), s.size-at)]
		if err := s.fill(text, at); err != nil {
			return nil, err
		}
		if i := bytes.LastIndexByte(text, '\n'); i >= 0 {
			b.end, b.rows = at+int64(i)+1, bytes.Count(text, []byte("\n"))
			out = append(out, b)
			b = block{off: b.end, row: b.row + b.rows}
		}
		at += int64(len(text))
		if at-b.off > longestLine {
			return nil, s.tooLong(s.lineOf(b.row))
		}
	}
	if b.off < s.size { // the last line has no line end
		b.end, b.rows = s.size, 1
		out = append(out, b)
	}
	return out, nil
}

func (s *source) tooLong(line int) *Damage {
	return &Damage{
		File: s.name, Line: line, Found: fmt.Sprintf("a line of more than %d MiB", longestLine>>20),
		Want: "the lines of a CSV file",
	}
}
