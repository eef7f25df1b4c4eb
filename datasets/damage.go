package datasets

import (
	"fmt"
	"strconv"
	"strings"
)

// Damage is the first thing in a file that cannot be read, in file order.
type Damage struct {
	File   string
	Line   int    // from 1
	Column int    // from 1; 0 where the whole line is meant
	Name   string // the column's name
	Found  string
	Want   string
	// Option is what may read the file, if nothing else is wrong with it.
	Option Option
}

// Option is a field of Layout that has to be set for some files.
type Option int

// The options of files that are no damaged ones for all we know.
const (
	NoOption        Option = iota
	OptionSort             // the line is earlier than the one before it
	OptionUnit             // the times are too large for seconds
	OptionNoHeader         // the header line is like an event
	OptionSeparator        // the separator does not split the first line
)

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

// listed shows names, shortened where they are many.
func listed(names []string) string {
	const most = 30
	more := ""
	if n := len(names); n > most {
		names, more = names[:most], fmt.Sprintf(", ... (%d in all)", n)
	}
	shown := make([]string, len(names))
	for i, name := range names {
		shown[i] = name
		if q := quoted([]byte(name)); q != `"`+name+`"` { // long, or not to be printed
			shown[i] = q
		}
	}
	return strings.Join(shown, ", ") + more
}

// plural is "1 field", "2 fields".
func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
