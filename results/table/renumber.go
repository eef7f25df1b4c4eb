package table

import "slices"

// Renumber gives footnotes the order in which a reader meets them, heads
// first, then row by row, and drops those that nothing refers to.
func (t *Table) Renumber() {
	var order []int // old numbers
	for _, numbers := range t.references() {
		for _, n := range *numbers {
			if !slices.Contains(order, n) {
				order = append(order, n)
			}
		}
	}
	for _, numbers := range t.references() {
		var renumbered []int // entries may share the old list
		for _, n := range *numbers {
			renumbered = append(renumbered, slices.Index(order, n)+1)
		}
		slices.Sort(renumbered)
		*numbers = renumbered
	}
	var texts []string
	for _, n := range order {
		texts = append(texts, t.Notes[n-1])
	}
	t.Notes = texts
}

// references are the footnotes of all heads and entries.
func (t *Table) references() []*[]int {
	var out []*[]int
	for c := range t.Columns {
		out = append(out, &t.Columns[c].Notes)
	}
	for _, block := range t.Blocks {
		for _, row := range block {
			for c := range row {
				out = append(out, &row[c].Notes)
			}
		}
	}
	return out
}
