package datasets

import (
	"fmt"
	"strconv"
)

// Damage is the first thing in a file that cannot be read, in file order.
type Damage struct {
	File   string
	Line   int    // from 1
	Column int    // from 1; 0 where the whole line is meant
	Name   string // the column's name
	Found  string
	Want   string
	// Unsorted: the line is earlier than the one before it, and nothing else
	// is wrong with it. Layout.Sort reads such files.
	Unsorted bool
}

// Error is one line: FILE:LINE: column N (NAME): found ..., expected ...
func (d *Damage) Error() string {
	where := fmt.Sprintf("%s:%d: ", d.File, d.Line)
	if d.Column > 0 {
		where += fmt.Sprintf("column %d", d.Column)
		if d.Name != strconv.Itoa(d.Column) { // its name where there is no header
			where += " (" + d.Name + ")"
		}
		where += ": "
	}
	return where + "found " + d.Found + ", expected " + d.Want
}

// quoted shows a field's text, shortened where it is long.
func quoted(field []byte) string {
	const most = 40
	if len(field) == 0 {
		return "nothing"
	}
	if len(field) > most {
		return fmt.Sprintf("%q...", field[:most])
	}
	return fmt.Sprintf("%q", field)
}

// plural is "1 field", "2 fields".
func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
