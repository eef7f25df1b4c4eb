package datasets

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// mark is the byte order mark that some programs put before UTF-8.
const mark = "\ufeff"

// schema matches the layout with the first lines. start is where the first
// event does.
func (s *source) schema(layout Layout) (_ *schema, start int64, err error) {
	if err := s.checkText(); err != nil {
		return nil, 0, err
	}
	text, start, err := s.line(0, 1)
	if err != nil {
		return nil, 0, err
	}
	text = bytes.TrimPrefix(text, []byte(mark))
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, 0, s.damage(nothing(s.size, layout.NoHeader))
	}
	sep := layout.Separator.find(text)
	names, err := s.columns(text, sep, 1)
	if err != nil {
		return nil, 0, err
	}
	if len(names) == 1 {
		return nil, 0, s.damage(layout.Separator.unsplit(text))
	}
	fields := names
	if layout.NoHeader {
		names = numbers(len(fields))
		start, err = s.afterMark()
	} else {
		s.headers = 1
		if d := badName(names); d != nil {
			return nil, 0, s.damage(d)
		}
		fields, err = s.firstEvent(start, sep)
	}
	if err != nil {
		return nil, 0, err
	}
	out, d := layout.match(names, len(fields))
	if d != nil {
		return nil, 0, s.damage(d)
	}
	out.sep = sep
	c := out.column(roleTime)
	if c >= len(fields) || layout.jodie { // whose times are numbers of seconds
		return out, start, nil
	}
	out.clock = newClock(fields[c])
	if d := out.eventAsHeader(c, layout); d != nil {
		return nil, 0, s.damage(d)
	}
	if d := out.badUnit(c, fields[c]); d != nil {
		d.Line = s.lineOf(0)
		return nil, 0, s.damage(d)
	}
	return out, start, nil
}

// eventAsHeader reports a header line with a time in place of the name of the
// time column, which was asked for by its number.
func (p *schema) eventAsHeader(c int, layout Layout) *Damage {
	name := p.names[c]
	if layout.Time == name || !newClock(name).isTime() {
		return nil
	}
	return &Damage{
		Line: 1, Column: c + 1, Name: strconv.Itoa(c + 1), Found: "a time, " + listed([]string{name}), Option: OptionNoHeader,
		Want: "a header line (a column with such a name is asked for by it)",
	}
}

// badUnit reports a first event that cannot be in the unit asked for.
func (p *schema) badUnit(c int, first string) *Damage {
	if p.clock.form != "" && p.unit != FindUnit && p.unit != Seconds {
		return p.bad(c, []byte(first), "a number of "+p.unit.String()+" (dates have no unit)")
	}
	x, _ := parseFloat64([]byte(first))
	return p.doubt(x, latestStart, listed([]string{first}))
}

// nothing reports an empty file, or an empty first line.
func nothing(size int64, noHeader bool) *Damage {
	d := &Damage{Line: 1, Found: "an empty line", Want: "a header line"}
	if size == 0 {
		d.Found, d.Want = "an empty file", "a header line and events"
	}
	if noHeader {
		d.Want = "at least one event"
	}
	return d
}

// damage puts the file's name into the message.
func (s *source) damage(d *Damage) error {
	d.File = s.name
	return d
}

// firstEvent are the fields of the line behind the header. What is wrong with
// them is found when parsing.
func (s *source) firstEvent(start int64, sep byte) ([]string, error) {
	if start == s.size {
		return nil, s.damage(&Damage{Line: 2, Found: "the end of the file", Want: "at least one event"})
	}
	text, _, err := s.line(start, 2)
	if err != nil {
		return nil, err
	}
	return s.columns(text, sep, 2)
}

// mostColumns is the number of columns that a file may have.
const mostColumns = 100_000

// columns are the fields of the first or the second line.
func (s *source) columns(text []byte, sep byte, line int) ([]string, error) {
	n, err := countFields(text, sep)
	switch {
	case n > mostColumns:
		return nil, s.damage(&Damage{Line: line, Found: plural(n, "column"), Want: fmt.Sprintf("at most %d", mostColumns)})
	case err != nil && line == 1:
		return nil, s.damage(&Damage{Line: line, Found: quoted(text), Want: err.Error()})
	}
	fields, _ := cutAll(text, sep) // a wrong quote in an event is found when parsing
	return fields, nil
}

// longestName is the number of bytes that the name of a column may have.
const longestName = 255

// badName reports the first name of a header that cannot be written down as
// UTF-8, or is too long to be a name.
func badName(names []string) *Damage {
	for c, name := range names {
		d := &Damage{Line: 1, Column: c + 1, Name: strconv.Itoa(c + 1), Found: "the name " + quoted([]byte(name))}
		switch {
		case !utf8.ValidString(name):
			d.Want = "UTF-8 (iconv -f ISO-8859-1 -t UTF-8 FILE > NEW, if it is Latin-1)"
			return d
		case len(name) > longestName:
			d.Found += fmt.Sprintf(" of %d bytes", len(name))
			d.Want = fmt.Sprintf("at most %d", longestName)
			return d
		}
	}
	return nil
}

// afterMark is where the file's text starts.
func (s *source) afterMark() (int64, error) {
	text := make([]byte, min(s.size, int64(len(mark))))
	if err := s.fill(text, 0); err != nil || string(text) != mark {
		return 0, err
	}
	return int64(len(mark)), nil
}

// numbers are the names of columns without a header: 1, 2, ...
func numbers(n int) []string {
	out := make([]string, n)
	for c := range out {
		out[c] = strconv.Itoa(c + 1)
	}
	return out
}
