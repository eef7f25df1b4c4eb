package datasets

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Separator is the character between the fields of a line.
type Separator int

// The separators. FindSeparator stands for the one that splits the first line
// into most fields, and for the first of several such ones. Spaces, which occur
// within names too, are chosen only if no other separator splits the line.
const (
	Comma Separator = iota
	Tab
	Semicolon
	Pipe
	Space
	FindSeparator
)

var separatorNames = []string{"comma", "tab", "semicolon", "pipe", "space", "auto"}

// separatorBytes has the byte of every separator but FindSeparator.
const separatorBytes = ",\t;| "

// String returns the separator's name.
func (s Separator) String() string { return separatorNames[s] }

// Byte returns the character itself. It is none for FindSeparator.
func (s Separator) Byte() byte { return separatorBytes[s] }

// ParseSeparator returns the separator with that name.
func ParseSeparator(name string) (Separator, error) {
	s := slices.Index(separatorNames, name)
	if s < 0 {
		return 0, fmt.Errorf("a separator %q, expected auto, comma, tab, semicolon, pipe or space", name)
	}
	return Separator(s), nil
}

// Find returns the separator of a file with that first line.
func (s Separator) Find(line []byte) Separator {
	if s != FindSeparator {
		return s
	}
	best, maxFields := Comma, 1
	for other := Comma; other < FindSeparator; other++ {
		if n := other.fields(line); n > maxFields && (other != Space || maxFields == 1) {
			best, maxFields = other, n
		}
	}
	return best
}

// fields returns the number of fields of a line, 0 if a quote is wrong.
func (s Separator) fields(line []byte) int {
	n, err := countFields(line, separatorBytes[s])
	if err != nil {
		return 0
	}
	return n
}

// unsplit returns the damage of a first line that has only one field: every
// layout has more columns.
func (s Separator) unsplit(line []byte) *Damage {
	d := &Damage{Line: 1, Found: "one column, " + quoted(bytes.TrimSpace(line))}
	if s == FindSeparator {
		d.Want = "columns between commas, tabs, semicolons, pipes or spaces"
		return d
	}
	d.Want = "columns with the separator " + s.String()
	if other := FindSeparator.Find(line); other.fields(line) > 1 {
		d.Want += fmt.Sprintf(" (%s gives %d)", other, other.fields(line))
		d.Option = OptionSeparator
	}
	return d
}

var errOpenQuote = errors.New("a closing quote on the same line (fields cannot hold line breaks)")

// cutField cuts the first field off a line. more reports whether a separator, and
// so another field, follows. Fields without quotes lose the spaces around them,
// and so the CR of a line that ends in CRLF. The error says what was expected.
func cutField(line []byte, sep byte) (field, rest []byte, more bool, err error) {
	if len(line) > 0 && line[0] == '"' {
		return cutQuoted(line[1:], sep)
	}
	if i := bytes.IndexByte(line, sep); i >= 0 {
		field, rest, more = line[:i], line[i+1:], true
	} else {
		field = line
	}
	if n := len(field); n > 0 && (field[0] <= ' ' || field[n-1] <= ' ') {
		field = bytes.TrimSpace(field)
	}
	return field, rest, more, nil
}

// cutQuoted is cutField after an opening quote. A doubled quote stands for one.
func cutQuoted(line []byte, sep byte) (field, rest []byte, more bool, err error) {
	end := 0
	for {
		i := bytes.IndexByte(line[end:], '"')
		if i < 0 {
			return line, nil, false, errOpenQuote
		}
		end += i
		if end+1 == len(line) || line[end+1] != '"' {
			break
		}
		end += 2
	}
	field = bytes.ReplaceAll(line[:end], []byte(`""`), []byte(`"`))
	rest = line[end+1:]
	switch {
	case len(rest) > 0 && rest[0] == sep: // before spaces are dropped: a tab is one
		return field, rest[1:], true, nil
	case len(bytes.TrimSpace(rest)) == 0:
		return field, nil, false, nil
	}
	return field, nil, false, fmt.Errorf("a %s after the closing quote", Separator(strings.IndexByte(separatorBytes, sep)))
}

// cutAll splits a whole line, up to the first field with an error, which is
// the last one returned.
func cutAll(line []byte, sep byte) (fields []string, err error) {
	for more := true; more; {
		var field []byte
		field, line, more, err = cutField(line, sep)
		fields = append(fields, string(field))
	}
	return fields, err
}

// Split returns the fields of a line, without quotes and the spaces around them. With
// an error the last one is wrong.
func (s Separator) Split(line []byte) (fields []string, err error) {
	return cutAll(line, separatorBytes[s])
}

// countFields returns the number of fields that cutAll would return.
func countFields(line []byte, sep byte) (n int, err error) {
	for more := true; more; n++ {
		_, line, more, err = cutField(line, sep)
	}
	return n, err
}

// parseLabel reads a class.
func parseLabel(field []byte, mayLack bool) (label int8, ok bool) {
	switch string(field) {
	case "0", "0.0":
		return 0, true
	case "1", "1.0":
		return 1, true
	case "", "-1", "-1.0":
		return Unlabelled, mayLack
	}
	return 0, false
}
