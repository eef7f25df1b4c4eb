package datasets

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"
)

const (
	// longestLine in bytes bounds the memory that a damaged file can take.
	longestLine = 16 << 20
	// maxColumns is the largest number of columns of a file.
	maxColumns = 100_000
	// longestName is the largest number of bytes in the name of a column.
	longestName = 255
	// mark is the byte order mark that some programs put before UTF-8.
	mark = "\ufeff"
)

// source is an open file.
type source struct {
	r       io.ReaderAt
	name    string
	size    int64 // without the line ends at the end
	headers int   // lines before the first event: 1 or 0
}

// newSource returns the file without the empty lines at its end.
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

// lineOf returns the line, from 1, of an event.
func (s *source) lineOf(row int) int { return row + s.headers + 1 }

// fill reads len(buf) bytes.
func (s *source) fill(buf []byte, off int64) error {
	if n, err := s.r.ReadAt(buf, off); n < len(buf) {
		return fmt.Errorf("read %s: %w", s.name, err)
	}
	return nil
}

// line returns the line that starts at off, and the offset of the next one.
func (s *source) line(off int64, number int) (text []byte, next int64, err error) {
	r := bufio.NewReader(io.NewSectionReader(s.r, off, min(s.size-off, longestLine+1)))
	text, err = r.ReadBytes('\n')
	next = off + int64(len(text))
	switch {
	case len(text) > longestLine:
		return nil, 0, tooLong(number)
	case err != nil && next < s.size:
		return nil, 0, fmt.Errorf("read %s: %w", s.name, err)
	}
	return bytes.TrimSuffix(text, []byte("\n")), next, nil
}

func tooLong(line int) *Damage {
	return &Damage{Line: line, Found: fmt.Sprintf("a line of more than %d MiB", longestLine>>20), Want: "the lines of a CSV file"}
}

// block is a run of whole lines.
type block struct {
	off, end int64 // bytes of the file
	row      int   // number of its first event
	rows     int
}

// blocks cuts the file from off on into blocks of about size bytes, and counts
// their lines.
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
			return nil, tooLong(s.lineOf(b.row))
		}
	}
	if b.off < s.size { // the last line has no line end
		b.end, b.rows = s.size, 1
		out = append(out, b)
	}
	return out, nil
}

// schema applies the layout to the first lines. start is the offset of the
// first event.
func (s *source) schema(layout Layout) (out *schema, start int64, err error) {
	if err := s.checkText(); err != nil {
		return nil, 0, err
	}
	line, start, err := s.line(0, 1)
	if err != nil {
		return nil, 0, err
	}
	text := bytes.TrimPrefix(line, []byte(mark))
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, 0, s.empty(layout.NoHeader)
	}
	sep := separatorBytes[layout.Separator.Find(text)]
	names, err := headFields(text, sep, 1)
	switch {
	case err != nil:
		return nil, 0, err
	case len(names) == 1:
		return nil, 0, layout.Separator.unsplit(text)
	}
	event := names // the fields of the first one
	if layout.NoHeader {
		start = int64(len(line) - len(text))
		names = make([]string, len(event))
		for c := range names {
			names[c] = strconv.Itoa(c + 1)
		}
	} else {
		s.headers = 1
		if event, err = s.afterHeader(names, start, sep); err != nil {
			return nil, 0, err
		}
	}
	if out, err = layout.match(names, len(event)); err != nil {
		return nil, 0, err
	}
	out.file, out.sep = s, sep
	c := out.column(roleTime)
	if c >= len(event) || layout.jodie { // JODIE's times are numbers of seconds
		return out, start, nil
	}
	out.clock = newClock(event[c])
	if d := out.checkFirstTime(c, event[c]); d != nil {
		if d.Line == 0 {
			d.Line = s.lineOf(0)
		}
		return nil, 0, d
	}
	return out, start, nil
}

// empty returns the damage of an empty file, or of an empty first line.
func (s *source) empty(noHeader bool) *Damage {
	d := &Damage{Line: 1, Found: "an empty line", Want: "a header line"}
	if s.size == 0 {
		d.Found, d.Want = "an empty file", "a header line and events"
	}
	if noHeader {
		d.Want = "at least one event"
	}
	return d
}

// wantUTF8 is what is expected of names, and what may help.
const wantUTF8 = "UTF-8 (iconv -f ISO-8859-1 -t UTF-8 FILE > NEW, if it is Latin-1)"

// afterHeader checks the names of the columns and returns the fields of the
// first event, which starts at off. What is wrong with them is found when they
// are parsed.
func (s *source) afterHeader(names []string, off int64, sep byte) ([]string, error) {
	for c, name := range names {
		d := &Damage{Line: 1, Column: c + 1, Name: strconv.Itoa(c + 1), Found: "the name " + quoted([]byte(name))}
		if !utf8.ValidString(name) {
			d.Want = wantUTF8
			return nil, d
		}
		if len(name) > longestName {
			d.Found, d.Want = fmt.Sprintf("%s of %d bytes", d.Found, len(name)), fmt.Sprintf("at most %d", longestName)
			return nil, d
		}
	}
	if off == s.size {
		return nil, &Damage{Line: 2, Found: "the end of the file", Want: "at least one event"}
	}
	text, _, err := s.line(off, 2)
	if err != nil {
		return nil, err
	}
	return headFields(text, sep, 2)
}

// headFields returns the fields of the first or the second line.
func headFields(text []byte, sep byte, line int) ([]string, error) {
	n, err := countFields(text, sep)
	switch {
	case n > maxColumns:
		return nil, &Damage{Line: line, Found: plural(n, "column"), Want: fmt.Sprintf("at most %d", maxColumns)}
	case err != nil && line == 1:
		return nil, &Damage{Line: line, Found: quoted(text), Want: err.Error()}
	}
	fields, _ := cutAll(text, sep) // a wrong quote in an event is found when parsing
	return fields, nil
}

// otherFormats are formats with known first bytes that are not UTF-8 text, and
// commands that convert them.
var otherFormats = []struct{ magic, name, convert string }{
	{"\xff\xfe\x00\x00", "text in UTF-32", "iconv -f UTF-32 -t UTF-8 FILE > NEW"},
	{"\xff\xfe", "text in UTF-16", "iconv -f UTF-16 -t UTF-8 FILE > NEW"},
	{"\xfe\xff", "text in UTF-16", "iconv -f UTF-16 -t UTF-8 FILE > NEW"},
	{"\x1f\x8b", "data of gzip", "gzip -dc FILE > NEW"},
	{"\x28\xb5\x2f\xfd", "data of zstd", "zstd -dc FILE > NEW"},
	{"\xfd7zXZ\x00", "data of xz", "xz -dc FILE > NEW"},
	{"BZh", "data of bzip2", "bzip2 -dc FILE > NEW"},
	{"PK\x03\x04", "a zip archive, as spreadsheets are too", "unpack it, or export the sheet as CSV"},
	{"PAR1", "a Parquet file", "export it as CSV"},
}

// checkText rejects files whose start is not text with line ends.
func (s *source) checkText() error {
	start := make([]byte, min(s.size, 4096))
	if err := s.fill(start, 0); err != nil {
		return err
	}
	for _, f := range otherFormats {
		if bytes.HasPrefix(start, []byte(f.magic)) {
			return &Damage{Line: 1, Found: f.name, Want: "CSV text in UTF-8 (" + f.convert + ")"}
		}
	}
	if name := unmarkedUTF16(start); name != "" {
		return &Damage{Line: 1, Found: "text in UTF-16", Want: "CSV text in UTF-8 (iconv -f " + name + " -t UTF-8 FILE > NEW)"}
	}
	if i := bytes.IndexByte(start, 0); i >= 0 {
		return &Damage{Line: 1, Found: fmt.Sprintf("a byte 0 at offset %d, as in binary files and UTF-16", i), Want: "CSV text in UTF-8"}
	}
	if bytes.IndexByte(start, '\r') >= 0 && bytes.IndexByte(start, '\n') < 0 {
		return &Damage{Line: 1, Found: "lines that end in CR alone", Want: `LF or CR LF (tr '\r' '\n' < FILE > NEW)`}
	}
	return nil
}

// unmarkedUTF16 returns iconv's name of UTF-16 without a byte order mark, in
// which every other byte of an ASCII text is 0; or "" for anything else.
func unmarkedUTF16(start []byte) string {
	start = start[:min(len(start), 16)] // of the header line
	var zeros [2]int                    // at even and odd offsets
	for i, b := range start {
		if b == 0 {
			zeros[i%2]++
		}
	}
	switch half := len(start) / 2; {
	case half > 0 && zeros == [2]int{0, half}:
		return "UTF-16LE"
	case half > 0 && zeros == [2]int{half, 0}:
		return "UTF-16BE"
	}
	return ""
}
