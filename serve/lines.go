package serve

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"unicode/utf8"

	"dgsbench/datasets"
	"dgsbench/internal/suggest"
)

// maxLine is the largest number of bytes of a line.
const maxLine = 16 << 20

// Lines reads records of events as lines of text, and writes each line again with what
// is answered. The text is CSV with a header line, as the import reads it, or JSON
// lines: objects with a key for each column.
type Lines struct {
	in      *bufio.Reader
	to      io.Writer
	out     bytes.Buffer // what Flush writes
	columns []string     // of a record
	alerts  bool

	number int    // of the line that was read last
	again  []byte // the first line, where it is no header
	isJSON bool
	sep    datasets.Separator
	at     []int // by column: its field in a line
	fields int   // of a line
}

// Line is one that was read.
type Line struct {
	Number int    // from 1
	Text   []byte // without its end
	Record []string
}

// LineError is the error of one line.
type LineError struct {
	Line
	Err error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Number, e.Err) }

// Unwrap returns the cause.
func (e *LineError) Unwrap() error { return e.Err }

// Answer is what is written beside a line.
type Answer struct {
	Seq     int // sequence number of the event: how many there were before it
	Score   float64
	Alert   bool
	Refused bool // there is no answer
}

// What an answer is called, as columns or keys.
const seqColumn, scoreColumn, alertColumn = "seq", "score", "alert"

func (l *Lines) answers() []string {
	if l.alerts {
		return []string{seqColumn, scoreColumn, alertColumn}
	}
	return []string{seqColumn, scoreColumn}
}

// NewLines returns the lines of in, of which the fields of the columns are used, for
// answers with or without alerts. It reads, and writes, the header.
func NewLines(in io.Reader, out io.Writer, columns []string, alerts bool) (*Lines, error) {
	l := &Lines{in: bufio.NewReaderSize(in, 1<<16), to: out, columns: columns, alerts: alerts}
	first, err := l.first()
	if err == io.EOF {
		return l, nil
	}
	if err != nil {
		return nil, err
	}
	if l.isJSON = first == '{'; l.isJSON {
		return l, nil
	}
	header, err := l.line()
	if err != nil {
		return nil, err
	}
	if err := l.match(header); err != nil {
		return nil, &LineError{Line{Number: l.number, Text: header}, err}
	}
	return l, nil
}

// first skips a byte order mark and empty lines, and returns the first byte behind them.
func (l *Lines) first() (byte, error) {
	const mark = "\ufeff"
	for {
		next, err := l.in.Peek(1)
		if err != nil {
			return 0, err
		}
		skip := 0
		switch next[0] {
		case '\n', '\r':
			skip = 1
		case mark[0]:
			if start, _ := l.in.Peek(len(mark)); string(start) == mark {
				skip = len(mark)
			}
		}
		if skip == 0 {
			return next[0], nil
		}
		if next[0] == '\n' {
			l.number++
		}
		l.in.Discard(skip)
	}
}

// match finds the columns in the header. Where all go by number, as after an import
// without a header, the first line is a record.
func (l *Lines) match(header []byte) error {
	l.sep = datasets.FindSeparator.Find(header)
	names, err := l.sep.Split(header)
	if err != nil {
		return fmt.Errorf("column %d: expected %w", len(names), err)
	}
	l.fields = len(names)
	// place returns a column that goes by its number, or -1.
	place := func(column string) int {
		if n, err := strconv.Atoi(column); err == nil && n >= 1 && n <= len(names) && strconv.Itoa(n) == column {
			return n - 1
		}
		return -1
	}
	named := slices.ContainsFunc(l.columns, func(column string) bool { return place(column) < 0 })
	for _, column := range l.columns {
		at := place(column)
		if i := slices.Index(names, column); named && i >= 0 { // otherwise names are fields of a record
			at = i
		}
		if at < 0 {
			return fmt.Errorf("no column %q%s", column, suggest.DidYouMean(column, names))
		}
		l.at = append(l.at, at)
	}
	if !named {
		l.again = slices.Clone(header)
		return nil
	}
	for _, name := range l.answers() {
		if slices.Contains(names, name) {
			return fmt.Errorf("a column %q, which is the name of an answer: call it something else", name)
		}
	}
	l.write(header, l.answers())
	return nil
}

// Next returns the next line, io.EOF after the last one. After a *LineError it can be
// called again.
func (l *Lines) Next() (Line, error) {
	text, err := l.again, error(nil)
	if l.again = nil; text == nil {
		text, err = l.line()
	}
	if err != nil {
		return Line{}, err
	}
	line := Line{Number: l.number, Text: slices.Clone(text)}
	if l.isJSON {
		line.Record, err = l.object(text)
	} else {
		line.Record, err = l.split(text)
	}
	if err != nil {
		return line, &LineError{line, err}
	}
	return line, nil
}

// line returns the next line that is not empty, without its end. It is valid until the
// next call.
func (l *Lines) line() (line []byte, err error) {
	for len(line) == 0 {
		if line, err = l.in.ReadSlice('\n'); err == bufio.ErrBufferFull {
			line = slices.Clone(line)
			for err == bufio.ErrBufferFull && len(line) <= maxLine {
				var more []byte
				more, err = l.in.ReadSlice('\n')
				line = append(line, more...)
			}
		}
		switch {
		case err == io.EOF && len(line) > 0:
		case err == bufio.ErrBufferFull:
			return nil, fmt.Errorf("line %d is longer than %d bytes", l.number+1, maxLine)
		case err != nil:
			return nil, err
		}
		l.number++
		line = bytes.TrimRight(line, "\r\n")
	}
	return line, nil
}

func (l *Lines) split(text []byte) ([]string, error) {
	fields, err := l.sep.Split(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("column %d: expected %w", len(fields), err)
	case len(fields) != l.fields:
		return nil, fmt.Errorf("%d fields, expected %d", len(fields), l.fields)
	}
	record := make([]string, len(l.at))
	for i, at := range l.at {
		record[i] = fields[at]
	}
	return record, nil
}

// object returns the record of a JSON object. Numbers keep their digits; a key that is
// not there and null are empty, true and false 1 and 0.
func (l *Lines) object(text []byte) ([]string, error) {
	var values map[string]json.RawMessage
	if !utf8.Valid(text) {
		return nil, errors.New("expected a JSON object, in UTF-8")
	}
	if err := json.Unmarshal(text, &values); err != nil {
		return nil, fmt.Errorf("expected a JSON object: %w", err)
	}
	for _, name := range l.answers() {
		if _, taken := values[name]; taken {
			return nil, fmt.Errorf("a key %q, which is the name of an answer: call it something else", name)
		}
	}
	record := make([]string, len(l.columns))
	for i, column := range l.columns {
		switch value := values[column]; {
		case len(value) == 0 || string(value) == "null":
		case string(value) == "true":
			record[i] = "1"
		case string(value) == "false":
			record[i] = "0"
		case value[0] == '"':
			if err := json.Unmarshal(value, &record[i]); err != nil {
				return nil, fmt.Errorf("key %q: %w", column, err)
			}
		case value[0] == '{' || value[0] == '[':
			return nil, fmt.Errorf("key %q: found %.20s, expected text or a number", column, value)
		default:
			record[i] = string(value)
		}
	}
	return record, nil
}

// Ready reports whether the next line is there without waiting for it.
func (l *Lines) Ready() bool {
	waiting, _ := l.in.Peek(l.in.Buffered())
	return bytes.IndexByte(waiting, '\n') >= 0
}

// Write writes the line with the answer to it. It is kept until Flush.
func (l *Lines) Write(line Line, a Answer) {
	values := []string{strconv.Itoa(a.Seq), strconv.FormatFloat(a.Score, 'g', -1, 64), "0"}
	if a.Alert {
		values[2] = "1"
	}
	if a.Refused {
		values = []string{"", "", ""}
	}
	l.write(line.Text, values[:len(l.answers())])
}

// write writes a line with the values of the answers behind it.
func (l *Lines) write(text []byte, values []string) {
	if !l.isJSON {
		l.out.Write(text)
		for _, value := range values {
			l.out.WriteByte(l.sep.Byte())
			l.out.WriteString(value)
		}
		l.out.WriteByte('\n')
		return
	}
	text = bytes.TrimSpace(text)
	open, ok := bytes.CutSuffix(text, []byte("}"))
	if !ok || values[0] == "" && (text[0] != '{' || !json.Valid(text)) {
		open = []byte("{") // the line is no object, and was refused
	}
	l.out.Write(open)
	for i, value := range values {
		if i > 0 || len(bytes.TrimSpace(open)) > 1 {
			l.out.WriteByte(',')
		}
		fmt.Fprintf(&l.out, "%q:%s", l.answers()[i], cmp.Or(value, "null"))
	}
	l.out.WriteString("}\n")
}

// Kept returns how many bytes wait for Flush.
func (l *Lines) Kept() int { return l.out.Len() }

// Flush writes what was kept.
func (l *Lines) Flush() error {
	_, err := l.out.WriteTo(l.to)
	return err
}
