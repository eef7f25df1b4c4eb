package table

import (
	"slices"
	"strconv"
	"strings"

	"dgsbench/internal/lists"
	"dgsbench/internal/optional"
)

// SideBySide puts the tables of several folders into one each, by their
// names: every column once a folder, and the difference to the first folder.
// labels are short names of the folders, in the order of their tables. Columns
// that hold the same everywhere, such as a paper's values, are left out unless
// they were measured, and so are tables of which nothing is left.
func SideBySide(labels []string, of [][]Table) []Table {
	var names []string
	for _, t := range slices.Concat(of...) {
		if !slices.Contains(names, t.Name) {
			names = append(names, t.Name)
		}
	}
	var out []Table
	for _, name := range names {
		s := sideBySide{labels: labels}
		for _, tables := range of {
			side, _ := lists.Find(tables, func(t Table) bool { return t.Name == name })
			s.sides = append(s.sides, side)
		}
		if s.join(); len(s.Columns) > s.numHeads() {
			out = append(out, s.Table)
		}
	}
	return out
}

// sideBySide joins the tables of one name, one a folder. A folder without it
// has an empty one.
type sideBySide struct {
	Table
	labels []string
	sides  []Table
	rows   [][]*joinedRow // of each block
}

// joinedRow is a row with those that it joins, one a folder; nil where there is
// none.
type joinedRow struct {
	Row
	sides []Row
}

// join takes name and heads from the first table that is not empty.
func (s *sideBySide) join() {
	first := s.sides[slices.IndexFunc(s.sides, func(t Table) bool { return t.Name != "" })]
	heads := first.numHeads()
	s.Table = Table{Name: first.Name, Title: first.Title, Heads: first.Heads, Among: first.Among}
	for _, c := range first.Columns[:heads] {
		c.Notes = nil
		s.Columns = append(s.Columns, c)
	}
	s.joinRows(heads)
	var columns []Column
	for _, side := range s.sides {
		for _, c := range side.Columns[min(heads, len(side.Columns)):] {
			if !slices.ContainsFunc(columns, c.same) {
				columns = append(columns, c)
			}
		}
	}
	for _, c := range columns {
		s.addColumn(c)
	}
	for _, block := range s.rows {
		s.NextBlock()
		for _, r := range block {
			s.AddRow(r.Row)
		}
	}
	s.Legend = s.joinLegends()
	var sources []string
	for i, side := range s.sides {
		if side.Source != "" {
			sources = append(sources, s.labels[i]+": "+side.Source)
		}
	}
	s.Source = strings.Join(sources, "; ")
	s.Renumber()
}

// joinRows makes a row for every name of a row in any folder, with its heads.
// Names are the texts of the heads.
func (s *sideBySide) joinRows(heads int) {
	known := map[string]*joinedRow{}
	for i, side := range s.sides {
		for b, block := range side.Blocks {
			if len(s.rows) <= b {
				s.rows = append(s.rows, nil)
			}
			for _, row := range block {
				texts := lists.Map(row[:heads], func(e Entry) string { return e.Text })
				name := strings.Join(texts, "\x00")
				joined := known[name]
				if joined == nil {
					joined = &joinedRow{NewRow(texts...), make([]Row, len(s.sides))}
					known[name], s.rows[b] = joined, append(s.rows[b], joined)
				}
				joined.sides[i] = row
				for c, e := range row[:heads] {
					joined.Row[c].Notes = append(joined.Row[c].Notes, s.note(side, e.Notes)...) // once each: see Renumber
				}
			}
		}
	}
}

// note returns the numbers here of footnotes of a folder's table.
func (s *sideBySide) note(side Table, numbers []int) []int {
	return s.Note(lists.Map(numbers, func(n int) string { return side.Notes[n-1] })...)
}

func (c Column) same(d Column) bool {
	return c.Kind == d.Kind && c.Group == d.Group && c.Metric == d.Metric && c.Head == d.Head
}

// addColumn appends a column of every folder, and differences to the first one
// where there are any.
func (s *sideBySide) addColumn(c Column) {
	if !s.shown(c) {
		return
	}
	for i, side := range s.sides {
		head := Column{Kind: c.Kind, Group: c.name(), Head: s.labels[i]}
		if at := slices.IndexFunc(side.Columns, c.same); at >= 0 {
			head.Notes = s.note(side, side.Columns[at].Notes)
		}
		s.Columns = append(s.Columns, head)
		differences := false
		s.fill(func(r *joinedRow) Entry {
			e := s.entry(r, i, c)
			differences = differences || difference(e, s.entry(r, 0, c)) != nil
			e.Notes = s.note(side, e.Notes)
			return e
		})
		if i > 0 && differences {
			s.Columns = append(s.Columns, Column{Kind: Measured, Group: c.name(), Head: s.labels[i] + " − " + s.labels[0]})
			s.fill(func(r *joinedRow) Entry { return Entry{Value: difference(s.entry(r, i, c), s.entry(r, 0, c))} })
		}
	}
}

// fill gives every row another entry.
func (s *sideBySide) fill(entry func(*joinedRow) Entry) {
	for _, r := range slices.Concat(s.rows...) {
		r.Row = append(r.Row, entry(r))
	}
}

// entry returns that of a folder in a row and column, or a dash where it lacks
// one.
func (s *sideBySide) entry(r *joinedRow, side int, c Column) Entry {
	column := slices.IndexFunc(s.sides[side].Columns, c.same)
	if r.sides[side] == nil || column < 0 {
		return Entry{Text: NoValue}
	}
	return r.sides[side][column]
}

// shown reports whether two folders show something else in the column, or any
// has measured a value.
func (s *sideBySide) shown(c Column) bool {
	for _, r := range slices.Concat(s.rows...) {
		first := plainStyle.lines(c.Kind, s.entry(r, 0, c))
		for i := range s.sides {
			e := s.entry(r, i, c)
			if c.Kind == Measured && e.Value != nil || !slices.Equal(plainStyle.lines(c.Kind, e), first) {
				return true
			}
		}
	}
	return false
}

// joinLegends has the lines that all folders share, and then those of some.
func (s *sideBySide) joinLegends() []string {
	out := []string{
		"differences to " + s.labels[0] + " have not been tested: they may be chance",
		"columns that are the same everywhere are left out",
	}
	var own []string
	for i, side := range s.sides {
		for _, line := range side.Legend {
			shared := !slices.ContainsFunc(s.sides, func(t Table) bool { return !slices.Contains(t.Legend, line) })
			switch {
			case !shared:
				own = append(own, s.labels[i]+": "+line)
			case i == 0:
				out = append(out, line)
			}
		}
	}
	return append(out, own...)
}

// difference returns that of two values, or of two numbers as texts; nil where
// one of them is none.
func difference(to, from Entry) *Value {
	b, a := to.number(), from.number()
	if a == nil || b == nil {
		return nil
	}
	v := NewValue(b.Mean-a.Mean, max(a.Decimals, b.Decimals))
	v.Signed = true
	return v
}

// number returns the entry's value, or that of its text.
func (e Entry) number() *Value {
	if e.Value != nil {
		return e.Value
	}
	text := strings.ReplaceAll(e.Text, ",", "")
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil
	}
	_, decimals, _ := strings.Cut(text, ".")
	return &Value{Mean: optional.Number(x), Decimals: len(decimals)}
}
