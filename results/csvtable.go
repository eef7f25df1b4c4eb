package results

import (
	"encoding/csv"
	"io"
	"slices"
	"strings"
)

// WriteTableCSV lays the table out for programs: one line a row, a column a
// number, numbers as in the other layouts. The first column is the table's
// name, the last one the texts of all footnotes that concern the row.
func WriteTableCSV(w io.Writer, t Table) error {
	out := csv.NewWriter(w)
	heads := []string{"table"}
	for _, c := range t.Columns {
		heads = append(heads, c.name())
		for _, part := range c.Kind.parts() {
			heads = append(heads, c.name()+" "+part)
		}
	}
	out.Write(append(heads, "notes")) // errors stay until Flush
	for _, row := range slices.Concat(t.Blocks...) {
		out.Write(t.csvLine(row))
	}
	out.Flush()
	return out.Error()
}

// parts are the columns that follow the mean.
func (k Kind) parts() []string {
	switch k {
	case Measured:
		return []string{"std", "ci_low", "ci_high"}
	case Published:
		return []string{"std"}
	}
	return nil
}

func (t Table) csvLine(row TableRow) []string {
	line := []string{t.Name}
	var notes []int
	for c, e := range row {
		kind := t.Columns[c].Kind
		notes = append(append(notes, t.Columns[c].Notes...), e.Notes...)
		if kind == Text {
			line = append(line, e.Text)
			continue
		}
		fields := make([]string, 4)
		if v := e.Value; v != nil {
			fields = []string{v.format(v.Mean), v.format(v.Std), v.format(v.Low), v.format(v.High)}
		}
		line = append(line, fields[:1+len(kind.parts())]...)
	}
	slices.Sort(notes)
	var texts []string
	for _, n := range slices.Compact(notes) {
		texts = append(texts, t.Notes[n-1])
	}
	return append(line, strings.Join(texts, "; "))
}
