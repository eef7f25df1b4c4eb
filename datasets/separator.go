package datasets

import "fmt"

// Separator is what stands between the fields of a line.
type Separator int

// The separators. FindSeparator stands for the one that splits the first
// line into most fields, the first of them on a tie.
const (
	Comma Separator = iota
	Tab
	Semicolon
	FindSeparator
)

// separators are their bytes.
var separators = [...]byte{Comma: ',', Tab: '\t', Semicolon: ';'}

// String is the separator in words.
func (s Separator) String() string {
	return [...]string{Comma: "comma", Tab: "tab", Semicolon: "semicolon", FindSeparator: "auto"}[s]
}

// ParseSeparator is the separator called so by String.
func ParseSeparator(text string) (Separator, error) {
	for s := Comma; s <= FindSeparator; s++ {
		if s.String() == text {
			return s, nil
		}
	}
	return 0, fmt.Errorf("a separator %q, expected auto, comma, tab or semicolon", text)
}

// separatorOf is the separator of that byte.
func separatorOf(sep byte) Separator {
	for s, b := range separators {
		if b == sep {
			return Separator(s)
		}
	}
	return FindSeparator
}

// find is the byte between the fields of the first line.
func (s Separator) find(line []byte) byte {
	if s != FindSeparator {
		return separators[s]
	}
	best, most := separators[Comma], 0
	for _, sep := range separators {
		if fields, err := cutAll(line, sep); err == nil && len(fields) > most {
			best, most = sep, len(fields)
		}
	}
	return best
}
