package table

import (
	"slices"
	"strings"
)

// SideBySide puts the tables of several folders into one each, by their
// names: every column once a folder, and the difference to the first folder.
// labels are short names of the folders, in the order of their tables. Columns
// that hold the same everywhere, such as a paper's values, are left out unless
// they were measured, and so are tables of which nothing is left.
func SideBySide(labels []string, of [][]Table) []Table {
	var names []string
	for _, tables := range of {
		for _, t := range tables {
			if !slices.Contains(names, t.Name) {
				names = append(names, t.Name)
			}
		}
	}
	var out []Table
	for _, name := range names {
		s := sideBySide{labels: labels}
		for _, tables := range of {
			i := slices.IndexFunc(tables, func(t Table) bool { return t.Name == name })
			side := Table{}
			if i >= 0 {
				side = tables[i]
			}
			s.sides = append(s.sides, side)
		}
		if t := s.table(); len(t.Columns) > t.numHeads() {
			out = append(out, t)
		}
	}
	return out
}

// sideBySide makes one table out of those of the same name, one a folder. A
// folder without it has an empty one.
type sideBySide struct {
	labels []string
	sides  []Table
	notes  Footnotes
	rows   [][]string // of each block: the texts that name its rows, joined
	places []map[string]Row
}

// table is named and headed as the first one that is there.
func (s *sideBySide) table() Table {
	first := s.sides[slices.IndexFunc(s.sides, func(t Table) bool { return t.Name != "" })]
	s.findRows()
	t := Table{Name: first.Name, Title: first.Title, Heads: first.Heads, Among: first.Among, Columns: slices.Clone(first.Columns[:first.numHeads()])}
	for i := range t.Columns {
		t.Columns[i].Notes = nil
	}
	t.Blocks = s.heads(first)
	for _, c := range s.columns(first.numHeads()) {
		s.add(&t, c)
	}
	t.Notes, t.Legend = s.notes.Texts, s.legend()
	t.Source = s.joined(func(t Table) string { return t.Source })
	t.Renumber()
	return t
}

// findRows lists the rows of all folders by what names them.
func (s *sideBySide) findRows() {
	known := map[string]bool{}
	for _, side := range s.sides {
		at := map[string]Row{}
		for b, block := range side.Blocks {
			for len(s.rows) <= b {
				s.rows = append(s.rows, nil)
			}
			for _, row := range block {
				name := row.name(side.numHeads())
				if at[name] = row; !known[name] {
					known[name], s.rows[b] = true, append(s.rows[b], name)
				}
			}
		}
		s.places = append(s.places, at)
	}
}

// name joins the entries that name a row.
func (r Row) name(heads int) string {
	var texts []string
	for _, e := range r[:heads] {
		texts = append(texts, e.Text)
	}
	return strings.Join(texts, "\x00")
}

// heads are the rows with nothing but their names.
func (s *sideBySide) heads(first Table) [][]Row {
	out := make([][]Row, len(s.rows))
	for b, names := range s.rows {
		for _, name := range names {
			var row Row
			for _, text := range strings.Split(name, "\x00") {
				row = append(row, Entry{Text: text})
			}
			for i, side := range s.sides {
				for c, e := range s.places[i][name][:min(first.numHeads(), len(s.places[i][name]))] {
					row[c].Notes = mergedNumbers(row[c].Notes, s.refer(side, e.Notes))
				}
			}
			out[b] = append(out[b], row)
		}
	}
	return out
}

func mergedNumbers(a, b []int) []int {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// refer gives footnotes of a folder's table their numbers here.
func (s *sideBySide) refer(side Table, numbers []int) []int {
	var texts []string
	for _, n := range numbers {
		texts = append(texts, side.Notes[n-1])
	}
	return s.notes.Refer(texts...)
}

// legend has the lines that all folders share, and then those of one alone.
func (s *sideBySide) legend() []string {
	out := []string{
		"differences to " + s.labels[0] + " have not been tested: they may be chance",
		"columns that are the same everywhere are left out",
	}
	var own []string
	for i, side := range s.sides {
		for _, line := range side.Legend {
			everywhere := !slices.ContainsFunc(s.sides, func(t Table) bool { return !slices.Contains(t.Legend, line) })
			switch {
			case !everywhere:
				own = append(own, s.labels[i]+": "+line)
			case i == 0:
				out = append(out, line)
			}
		}
	}
	return append(out, own...)
}

// joined says of every folder that has the table.
func (s *sideBySide) joined(say func(Table) string) string {
	var out []string
	for i, side := range s.sides {
		if text := say(side); text != "" {
			out = append(out, s.labels[i]+": "+text)
		}
	}
	return strings.Join(out, "; ")
}
