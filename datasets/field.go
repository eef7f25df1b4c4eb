package datasets

import (
	"bytes"
	"errors"
	"fmt"
)

var errOpenQuote = errors.New("a closing quote on the same line (fields cannot hold line breaks)")

// cutField takes the first field off a line. more tells whether a separator,
// and so another field, follows. Fields without quotes lose the blanks around
// them, and with them the CR of a line that ends in CRLF. The error says
// what was expected.
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

// cutQuoted is cutField behind an opening quote. A doubled quote stands for
// one.
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
	case len(rest) > 0 && rest[0] == sep: // before blanks: a tab is one
		return field, rest[1:], true, nil
	case len(bytes.TrimSpace(rest)) == 0:
		return field, nil, false, nil
	}
	return field, nil, false, fmt.Errorf("a %s after the closing quote", separatorOf(sep))
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

// countFields is how many fields cutAll would return.
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
