package datasets

import (
	"bytes"
	"fmt"
)

// Separator is what stands between the fields of a line.
type Separator int

// The separators. FindSeparator stands for the one that splits the first
// line into most fields, the first of them on a tie; blanks, which stand
// within names too, only where no other one splits it.
const (
	Comma Separator = iota
	Tab
	Semicolon
	Pipe
	Space
	FindSeparator
)

// separators are their names and bytes.
var separators = [...]struct {
	name string
	char byte
}{
	Comma: {"comma", ','}, Tab: {"tab", '\t'}, Semicolon: {"semicolon", ';'}, Pipe: {"pipe", '|'}, Space: {"space", ' '},
	FindSeparator: {"auto", 0},
}

// String is the separator in words.
func (s Separator) String() string { return separators[s].name }

// ParseSeparator is the separator called so by String.
func ParseSeparator(text string) (Separator, error) {
	for s, known := range separators {
		if known.name == text {
			return Separator(s), nil
		}
	}
	return 0, fmt.Errorf("a separator %q, expected auto, comma, tab, semicolon, pipe or space", text)
}

// separatorOf is the separator of that byte.
func separatorOf(sep byte) Separator {
	for s, known := range separators {
		if known.char == sep {
			return Separator(s)
		}
	}
	return FindSeparator
}

// find is the byte between the fields of the first line.
func (s Separator) find(line []byte) byte {
	if s != FindSeparator {
		return separators[s].char
	}
	best, most := Comma, 1
	for other := Comma; other < FindSeparator; other++ {
		if n := other.fields(line); n > most && (other != Space || most == 1) {
			best, most = other, n
		}
	}
	return separators[best].char
}

// fields is how many fields the line has; 0 where a quote is wrong.
func (s Separator) fields(line []byte) int {
	n, err := countFields(line, separators[s].char)
	if err != nil {
		return 0
	}
	return n
}

// unsplit reports a first line that is left whole: every layout has more than
// one column.
func (s Separator) unsplit(line []byte) *Damage {
	d := &Damage{Line: 1, Found: "one column, " + quoted(bytes.TrimSpace(line))}
	if s == FindSeparator {
		d.Want = "columns between commas, tabs, semicolons, pipes or spaces"
		return d
	}
	d.Want = "columns with the separator " + s.String()
	if other := separatorOf(FindSeparator.find(line)); other.fields(line) > 1 {
		d.Want += fmt.Sprintf(" (%s gives %d)", other, other.fields(line))
		d.Option = OptionSeparator
	}
	return d
}
