package page

import (
	"testing"

	"dgsbench/results"
	"dgsbench/results/figure"
	"dgsbench/results/table"
)

// TestTablesOfScores: they are open beside the diagram of their ranks, which leads to
// them; the numbers of a figure that shows all of them are folded.
func TestTablesOfScores(t *testing.T) {
	scores := func(name string) table.Table {
		one := table.New("model")
		one.Columns = append(one.Columns, table.Column{Kind: table.Measured})
		one.Name = name
		return one
	}
	for _, several := range []bool{false, true} {
		f := Folder{Name: "one", Report: results.Report{
			Tables:  []table.Table{scores("first"), scores("nc"), scores("roc")},
			Figures: []figure.Figure{{Name: "nc-ranks", Table: "nc"}, {Name: "roc"}},
		}}
		p := Page{Folders: []Folder{f}}
		if several {
			p.Folders = append(p.Folders, Folder{Name: "two"})
		}
		p.label()
		parts := p.tableParts(f.Tables)
		if !parts[1].Open || parts[2].Open {
			t.Errorf("nc is open: %v; roc is: %v", parts[1].Open, parts[2].Open)
		}
		one := p.Folders[0]
		for i, name := range []string{"nc", "roc"} {
			if several {
				name = one.ownName(name)
			}
			if got := one.part(one.Figures[i], nil, "").Figures[0].Numbers; got != name {
				t.Errorf("the numbers are in %q, expected %q", got, name)
			}
		}
	}
}
