package datasets

import (
	"bytes"
	"strconv"
)

// mark is the byte order mark that some programs put before UTF-8.
const mark = "\ufeff"

// schema matches the layout with the first lines. start is where the first
// event does.
func (s *source) schema(layout Layout) (_ *schema, start int64, err error) {
	text, start, err := s.line(0, 1)
	if err != nil {
		return nil, 0, err
	}
	text = bytes.TrimPrefix(text, []byte(mark))
	if len(bytes.TrimSpace(text)) == 0 {
		want := "a header line"
		if layout.NoHeader {
			want = "at least one event"
		}
		return nil, 0, s.damage(&Damage{Line: 1, Found: "nothing", Want: want})
	}
	sep := layout.Separator.find(text)
	names, err := cutAll(text, sep)
	if err != nil {
		return nil, 0, s.damage(&Damage{Line: 1, Found: quoted(text), Want: err.Error()})
	}
	fields := names
	if layout.NoHeader {
		names = numbers(len(fields))
		start, err = s.afterMark()
	} else {
		s.headers = 1
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
	if c := out.column(roleTime); c < len(fields) && !layout.jodie { // whose times are numbers
		out.clock = newClock(fields[c])
	}
	return out, start, nil
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
	fields, _ := cutAll(text, sep)
	return fields, nil
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
