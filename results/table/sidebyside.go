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
	var out []Table
	for _, same := range lists.GroupBy(slices.Concat(of...), func(t Table) string { return t.Name }) {
		s := sideBySide{labels: labels}
		for _, tables := range of {
			side, _ := lists.Find(tables, func(t Table) bool { return t.Name == same[0].Name })
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
	joined [][][]Row // of each block and row, those of the folders; nil where there is none
}

// join takes name and heads from the first table that is not empty.
func (s *sideBySide) join() {
	first := s.sides[slices.IndexFunc(s.sides, func(t Table) bool { return t.Name != "" })]
	heads := first.numHeads()
	s.Table = Table{Name: first.Name, Title: first.Title, Heads: first.Heads, Among: first.Among}
	s.joinRows(heads)
	for i, c := range first.Columns[:heads] {
		c.Notes = nil
		s.Columns = append(s.Columns, c)
		s.fill(func(rows []Row) Entry { return s.head(rows, i) })
	}
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

// joinRows makes an empty row for every name of a row in any folder. Names are
// the texts of the heads.
func (s *sideBySide) joinRows(heads int) {
	known := map[string][]Row{}
	for i, side := range s.sides {
		for b, block := range side.Blocks {
			if len(s.Blocks) <= b {
				s.Blocks, s.joined = append(s.Blocks, nil), append(s.joined, nil)
			}
			for _, row := range block {
				name := strings.Join(lists.Map(row[:heads], func(e Entry) string { return e.Text }), "\x00")
				if known[name] == nil {
					known[name] = make([]Row, len(s.sides))
					s.Blocks[b], s.joined[b] = append(s.Blocks[b], nil), append(s.joined[b], known[name])
				}
				known[name][i] = row
			}
		}
	}
}

// head returns the text of a head, with the footnotes of all folders.
func (s *sideBySide) head(rows []Row, column int) (e Entry) {
	for i, row := range rows {
		if row != nil {
			e.Text = row[column].Text
			e.Notes = append(e.Notes, s.note(s.sides[i], row[column].Notes)...) // once each: see Renumber
		}
	}
	return e
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
		s.fill(func(rows []Row) Entry {
			e := s.entry(rows, i, c)
			differences = differences || difference(e, s.entry(rows, 0, c)) != nil
			e.Notes = s.note(side, e.Notes)
			return e
		})
		if i > 0 && differences {
			s.Columns = append(s.Columns, Column{Kind: Measured, Group: c.name(), Head: s.labels[i] + " − " + s.labels[0]})
			s.fill(func(rows []Row) Entry { return Entry{Value: difference(s.entry(rows, i, c), s.entry(rows, 0, c))} })
		}
	}
}

// fill gives every row another entry, which follows from the rows that it joins.
func (s *sideBySide) fill(entry func(rows []Row) Entry) {
	for b, block := range s.Blocks {
		for i := range block {
			block[i] = append(block[i], entry(s.joined[b][i]))
		}
	}
}

// entry returns that of a folder in a row and column, or a dash where it lacks
// one.
func (s *sideBySide) entry(rows []Row, side int, c Column) Entry {
	column := slices.IndexFunc(s.sides[side].Columns, c.same)
	if rows[side] == nil || column < 0 {
		return Entry{Text: NoValue}
	}
	return rows[side][column]
}

// shown reports whether two folders show something else in the column, or any
// has measured a value.
func (s *sideBySide) shown(c Column) bool {
	for _, rows := range slices.Concat(s.joined...) {
		first := plainStyle.lines(c.Kind, s.entry(rows, 0, c))
		for i := range s.sides {
			e := s.entry(rows, i, c)
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
