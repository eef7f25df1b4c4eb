package page

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"dgsbench/results/record"
	"dgsbench/results/table"
)

// specDifference is an option that folders set differently, with the models
// for which they do so in the same way.
type specDifference struct {
	option string
	values []string // of each folder
	where  []string
}

// specDifferences is a table of the options that folders set differently, and
// of models and seeds that only some of them have; no blocks where there are
// none.
func (p Page) specDifferences() (table.Table, error) {
	t := table.Table{Name: "spec-differences", Title: "Options, seeds and models that are not the same", Columns: p.folderColumns("option")}
	t.Columns = append(t.Columns, table.Column{Head: "of"})
	var all []specDifference
	for _, cells := range groups(p.cells(), func(c cell) record.CellKey { return c.key }) {
		settings, err := p.everywhere(cells)
		if err != nil {
			return t, err
		}
		where := cells[0].title + " on " + cells[0].place().String()
		for _, option := range slices.Sorted(maps.Keys(settings)) {
			if f := (fact{option, settings[option]}); f.differs() {
				all = note(all, f, where)
			}
		}
	}
	var rows []table.Row
	for _, d := range all {
		texts := append([]string{d.option}, d.values...)
		rows = append(rows, words(append(texts, strings.Join(d.where, "; "))...))
	}
	if len(rows) > 0 {
		t.Blocks = [][]table.Row{rows}
	}
	return t, nil
}

// note adds a place to a difference that is known, or the difference.
func note(all []specDifference, f fact, where string) []specDifference {
	i := slices.IndexFunc(all, func(d specDifference) bool { return d.option == f.name && slices.Equal(d.values, f.values) })
	if i < 0 {
		return append(all, specDifference{f.name, f.values, []string{where}})
	}
	all[i].where = append(all[i].where, where)
	return all
}

// everywhere are the values of every option of a cell, folder by folder. Where
// a folder lacks the cell, only that is said.
func (p Page) everywhere(cells []cell) (map[string][]string, error) {
	seeds := make([]string, len(p.Folders))
	for i := range seeds {
		seeds[i] = "not measured"
	}
	out := map[string][]string{"seeds": seeds}
	for _, c := range cells {
		i := slices.IndexFunc(p.Folders, func(f Folder) bool { return f.label == c.folder.label })
		seeds[i] = c.seeds()
		set, err := c.settings()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.folder.Name, err)
		}
		if len(cells) < len(p.Folders) {
			continue
		}
		for option, value := range set {
			if out[option] == nil {
				out[option] = slices.Repeat([]string{"–"}, len(p.Folders))
			}
			out[option][i] = value
		}
	}
	return out, nil
}
