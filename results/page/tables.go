package page

import (
	"slices"
	"strings"

	"dgsbench/results/figure"
	"dgsbench/results/table"
)

// tables returns those of the suite: of one folder as they are, of several side
// by side, with each folder's own below.
func tables(p Page) (section, error) {
	s := section{ID: "tables", Title: "Tables", Open: true}
	if !p.several() {
		s.Parts = p.tableParts(p.Folders[0].Tables)
		return s, nil
	}
	s.Intro = "Folders stand side by side under their letters; the tables of each folder follow."
	var labels []string
	var of [][]table.Table
	var all part
	for _, f := range p.Folders {
		labels, of = append(labels, f.label), append(of, f.Tables)
		own := slices.Clone(f.Tables)
		for i := range own {
			own[i].Name = f.ownName(own[i].Name)
		}
		if len(own) > 0 {
			all.Folded = append(all.Folded, folded{Summary: "All tables of " + f.label + ": " + f.Name, Tables: own})
		}
	}
	joined := table.SideBySide(labels, of)
	s.Parts = p.tableParts(joined)
	var same []string // titles of tables that are left out
	for _, t := range p.Folders[0].Tables {
		if !slices.ContainsFunc(joined, func(other table.Table) bool { return other.Name == t.Name }) {
			same = append(same, t.Title)
		}
	}
	if len(same) > 0 {
		s.Intro += " The same everywhere: " + strings.Join(same, "; ") + "."
	}
	if len(all.Folded) > 0 {
		s.Parts = append(s.Parts, all)
	}
	return s, nil
}

// tableParts returns tables under their titles. The first one is open, and so are
// those of scores, unless they are the numbers of a figure.
func (p Page) tableParts(all []table.Table) (out []part) {
	for i, t := range all {
		scores := slices.ContainsFunc(t.Columns, func(c table.Column) bool { return c.Kind == table.Measured })
		drawn := slices.ContainsFunc(p.Folders, func(f Folder) bool {
			return slices.ContainsFunc(f.Figures, func(d figure.Figure) bool { return d.Name == t.Name })
		})
		out = append(out, part{Title: t.Title, Open: i == 0 || scores && !drawn, Tables: []table.Table{t}})
	}
	return out
}

// ownName distinguishes a folder's table from those of the other folders.
func (f Folder) ownName(name string) string { return table.Identifier("folder", f.label, name) }
