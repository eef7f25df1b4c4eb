package table

import (
	"slices"
	"strconv"
	"strings"

	"dgsbench/internal/optional"
)

// columns are those of all folders that do not name rows, each once, without
// numbers of footnotes.
func (s *sideBySide) columns(heads int) []Column {
	var out []Column
	for _, side := range s.sides {
		for _, c := range side.Columns[min(heads, len(side.Columns)):] {
			c.Notes = nil
			if !slices.ContainsFunc(out, c.same) {
				out = append(out, c)
			}
		}
	}
	return out
}

func (c Column) same(d Column) bool {
	return c.Kind == d.Kind && c.Group == d.Group && c.Metric == d.Metric && c.Head == d.Head
}

// add appends a column of every folder, and differences where there are any.
func (s *sideBySide) add(t *Table, c Column) {
	if !s.differs(c) && (c.Kind != Measured || s.empty(c)) {
		return
	}
	group := c.name()
	for i, side := range s.sides {
		at := slices.IndexFunc(side.Columns, c.same)
		head := Column{Kind: c.Kind, Group: group, Head: s.labels[i]}
		if at >= 0 {
			head.Notes = s.refer(side, side.Columns[at].Notes)
		}
		t.Columns = append(t.Columns, head)
		s.fill(t, func(name string) Entry {
			e := s.entry(i, at, name)
			e.Notes = s.refer(side, e.Notes)
			return e
		})
		if i == 0 || !s.counts(c, i) {
			continue
		}
		t.Columns = append(t.Columns, Column{Kind: Measured, Group: group, Head: s.labels[i] + " − " + s.labels[0]})
		s.fill(t, func(name string) Entry {
			from := s.entry(0, slices.IndexFunc(s.sides[0].Columns, c.same), name)
			to := s.entry(i, at, name)
			return Entry{Value: minus(to, from)}
		})
	}
}

// fill gives every row another entry.
func (s *sideBySide) fill(t *Table, entry func(name string) Entry) {
	for b, names := range s.rows {
		for r, name := range names {
			t.Blocks[b][r] = append(t.Blocks[b][r], entry(name))
		}
	}
}

// entry is that of a folder in a row, or a dash where it lacks row or column.
func (s *sideBySide) entry(side, column int, name string) Entry {
	row, ok := s.places[side][name]
	if !ok || column < 0 {
		return Entry{Text: NoValue}
	}
	return row[column]
}

// differs reports whether two folders show something else in the column.
func (s *sideBySide) differs(c Column) bool {
	seen := map[string]string{}
	for i, side := range s.sides {
		at := slices.IndexFunc(side.Columns, c.same)
		for _, name := range slices.Concat(s.rows...) {
			e := s.entry(i, at, name)
			text := strings.Join(plainStyle().lines(c.Kind, e), " ")
			if before, ok := seen[name]; ok && before != text {
				return true
			}
			seen[name] = text
		}
	}
	return false
}

// empty reports whether no folder has a value in the column.
func (s *sideBySide) empty(c Column) bool {
	for i, side := range s.sides {
		at := slices.IndexFunc(side.Columns, c.same)
		for _, name := range slices.Concat(s.rows...) {
			if e := s.entry(i, at, name); e.Value != nil {
				return false
			}
		}
	}
	return true
}

// counts reports whether the column has a difference of folder i to show.
func (s *sideBySide) counts(c Column, i int) bool {
	from, to := slices.IndexFunc(s.sides[0].Columns, c.same), slices.IndexFunc(s.sides[i].Columns, c.same)
	return slices.ContainsFunc(slices.Concat(s.rows...), func(name string) bool {
		a := s.entry(0, from, name)
		b := s.entry(i, to, name)
		return minus(b, a) != nil
	})
}

// minus is the difference of two values, or of two numbers as texts; nil where
// one of them is none.
func minus(to, from Entry) *Value {
	b, a := to.number(), from.number()
	if a == nil || b == nil {
		return nil
	}
	return &Value{
		Mean: b.Mean - a.Mean, Std: optional.Absent(), Low: optional.Absent(), High: optional.Absent(),
		Decimals: max(a.Decimals, b.Decimals), Signed: true,
	}
}

// number is the entry's value, or that of its text.
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
