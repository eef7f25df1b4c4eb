package datasets

import (
	"fmt"
	"strconv"
	"strings"
)

// Damage is the first thing in a file, in file order, that cannot be read.
type Damage struct {
	File   string
	Line   int    // from 1
	Row    int    // in place of Line in a file without lines, from 1; 0 for the whole file
	Column int    // from 1; 0 for the whole line, or for a column that only has a name
	Name   string // of the column
	Found  string
	Want   string
	// Option may make the file readable, if nothing else is wrong with it.
	Option Option
}

// Option is a field of Layout that some files need.
type Option int

// The options for files that may not be damaged.
const (
	NoOption        Option = iota
	OptionSort             // the line is earlier than the one before it
	OptionUnit             // the times are too large for seconds
	OptionNoHeader         // the header line is like an event
	OptionSeparator        // the separator does not split the first line
	OptionMissing          // a feature lacks a value
	OptionCategory         // a feature is text
)

// Error returns one line: FILE:LINE: column N (NAME): found ..., expected ...
func (d *Damage) Error() string {
	where := fmt.Sprintf("%s:%d: ", d.File, d.Line)
	switch {
	case d.Line == 0 && d.Row > 0:
		where = fmt.Sprintf("%s: row %d: ", d.File, d.Row)
	case d.Line == 0:
		where = d.File + ": "
	}
	if d.Column == 0 && d.Name != "" {
		where += "column " + d.Name + ": "
	}
	if d.Column > 0 {
		where += fmt.Sprintf("column %d", d.Column)
		if d.Name != strconv.Itoa(d.Column) { // its name in a file without a header
			where += " (" + d.Name + ")"
		}
		where += ": "
	}
	return where + "found " + d.Found + ", expected " + d.Want
}

// quoted returns a field in quotes, shortened if it is long.
func quoted(field []byte) string {
	const limit = 40
	if len(field) == 0 {
		return "nothing"
	}
	if len(field) > limit {
		return fmt.Sprintf("%q...", field[:limit])
	}
	return fmt.Sprintf("%q", field)
}

// listed returns at most 30 names, separated by commas; long names and those
// that cannot be printed are quoted.
func listed(names []string) string {
	const limit = 30
	var out []string
	for _, name := range names[:min(limit, len(names))] {
		if q := quoted([]byte(name)); q != `"`+name+`"` {
			name = q
		}
		out = append(out, name)
	}
	if n := len(names); n > limit {
		out = append(out, fmt.Sprintf("... (%d in all)", n))
	}
	return strings.Join(out, ", ")
}

// plural returns "1 field", "2 fields".
func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
