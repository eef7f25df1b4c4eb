package table

import (
	"slices"
	"strconv"
	"strings"
)

// columnGroup is what neighbouring columns have in common, or an empty title.
type columnGroup struct {
	Title   string
	Columns int
}

// groups are the titles above the heads; nil where there are none.
func (t Table) groups() []columnGroup {
	var out []columnGroup
	any := false
	for c, column := range t.Columns {
		any = any || column.Group != ""
		if c > 0 && t.Columns[c-1].Group == column.Group {
			out[len(out)-1].Columns++
			continue
		}
		out = append(out, columnGroup{column.Group, 1})
	}
	if !any {
		return nil
	}
	return out
}

// narrow cuts the table into parts that fit, one of them at least a dataset
// wide. Every part repeats the columns that name the rows.
func (t Table) narrow(fits func(Table) bool) []Table {
	if fits(t) {
		return []Table{t}
	}
	heads := span(0, t.numHeads())
	var parts []Table
	columns := heads
	for _, unit := range t.units() {
		wider := slices.Concat(columns, unit)
		if len(columns) > len(heads) && !fits(t.part(wider)) {
			parts = append(parts, t.part(columns))
			wider = slices.Concat(heads, unit)
		}
		columns = wider
	}
	return append(parts, t.part(columns))
}

// numHeads is how many columns name the rows.
func (t Table) numHeads() int { return max(1, t.Heads) }

// units are the columns that stay together: neighbours of the same group, or
// of none.
func (t Table) units() [][]int {
	var out [][]int
	for c := t.numHeads(); c < len(t.Columns); c++ {
		if c > t.numHeads() && t.Columns[c-1].Group == t.Columns[c].Group {
			out[len(out)-1] = append(out[len(out)-1], c)
			continue
		}
		out = append(out, []int{c})
	}
	return out
}

// span are the numbers from .. to-1.
func span(from, to int) []int {
	var out []int
	for c := from; c < to; c++ {
		out = append(out, c)
	}
	return out
}

// part is the table with some of its columns.
func (t Table) part(columns []int) Table {
	out := t
	out.Columns, out.Blocks = nil, nil
	for _, c := range columns {
		out.Columns = append(out.Columns, t.Columns[c])
	}
	for _, block := range t.Blocks {
		var rows []Row
		for _, row := range block {
			var some Row
			for _, c := range columns {
				some = append(some, row[c])
			}
			rows = append(rows, some)
		}
		out.Blocks = append(out.Blocks, rows)
	}
	return out
}

// joinNumbers are footnote numbers as texts name them: 1,2.
func joinNumbers(numbers []int) string {
	texts := make([]string, len(numbers))
	for i, n := range numbers {
		texts[i] = strconv.Itoa(n)
	}
	return strings.Join(texts, ",")
}
