package table

import (
	"io"
	"slices"
	"strings"

	"dgsbench/internal/escape"
)

// numbersOf are the columns that follow the mean in CSV.
var numbersOf = map[Kind][]string{Measured: {"std", "ci_low", "ci_high"}, Published: {"std"}}

// WriteCSV lays the table out for programs: one line a row, a column a
// number, numbers as in the other layouts. The first column is the table's
// name, the last one the texts of all footnotes that concern the row, with the
// groups of columns that they are about where that is not all of them.
func WriteCSV(w io.Writer, t Table) error {
	heads := []string{"table"}
	for _, c := range t.Columns {
		heads = append(heads, c.name())
		for _, number := range numbersOf[c.Kind] {
			heads = append(heads, c.name()+" "+number)
		}
	}
	lines := [][]string{append(heads, "notes")}
	for _, row := range t.rows() {
		line := []string{t.Name}
		for c, e := range row {
			kind := t.Columns[c].Kind
			if kind == Text {
				line = append(line, e.Text)
				continue
			}
			fields := make([]string, 4)
			if v := e.Value; v != nil {
				fields = []string{v.format(v.Mean), v.format(v.Std), v.format(v.Low), v.format(v.High)}
			}
			line = append(line, fields[:1+len(numbersOf[kind])]...)
		}
		lines = append(lines, append(line, strings.Join(t.csvNotes(row), "; ")))
	}
	return escape.WriteCSV(w, lines)
}

// csvNotes returns the footnotes that concern a row. One that does not hold for
// all groups of columns names those that it is about.
func (t Table) csvNotes(row Row) []string {
	var named []string // groups of the table
	about := make([][]string, len(t.Notes))
	for c, e := range row {
		group := t.Columns[c].Group
		if group != "" && !slices.Contains(named, group) {
			named = append(named, group)
		}
		for _, n := range slices.Concat(t.Columns[c].Notes, e.Notes) {
			if !slices.Contains(about[n-1], group) {
				about[n-1] = append(about[n-1], group)
			}
		}
	}
	var texts []string
	for i, groups := range about {
		switch {
		case len(groups) == 0:
		case slices.Contains(groups, "") || len(groups) == len(named):
			texts = append(texts, t.Notes[i])
		default:
			texts = append(texts, strings.Join(groups, ", ")+": "+t.Notes[i])
		}
	}
	return texts
}
