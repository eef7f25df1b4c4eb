package page

import (
	"bytes"
	"html/template"
	"slices"
	"strings"

	"dgsbench/results/table"
)

// render is a table as a part of the page.
func render(t table.Table) (template.HTML, error) {
	var out bytes.Buffer
	err := table.WriteHTMLFragment(&out, t)
	return template.HTML(out.String()), err
}

// renderAll renders tables in their order.
func renderAll(tables []table.Table) ([]template.HTML, error) {
	var out []template.HTML
	for _, t := range tables {
		text, err := render(t)
		if err != nil {
			return nil, err
		}
		out = append(out, text)
	}
	return out, nil
}

// words is a row of texts.
func words(texts ...string) table.Row {
	var row table.Row
	for _, text := range texts {
		row = append(row, table.Entry{Text: text})
	}
	return row
}

// columns are heads of texts.
func columns(heads ...string) []table.Column {
	var out []table.Column
	for _, head := range heads {
		out = append(out, table.Column{Head: head})
	}
	return out
}

// tables are those of the suite: of one folder as they are, of several side by
// side, with each folder's own below.
func tables(p Page) (section, error) {
	s := section{ID: "tables", Title: "Tables", Intro: "Heads of columns are buttons that sort the rows, each block for itself."}
	if p.several() {
		return sideBySide(p, s)
	}
	rendered, err := renderAll(p.Folders[0].Tables)
	s.Contents = links(p.Folders[0].Tables)
	if len(rendered) > 0 {
		s.Parts = []part{{Tables: rendered}}
	}
	return s, err
}

// sideBySide fills in the tables of several folders.
func sideBySide(p Page, s section) (section, error) {
	s.Intro += " Folders stand side by side under their letters; the tables of each folder follow."
	var labels []string
	var of [][]table.Table
	for _, f := range p.Folders {
		labels, of = append(labels, f.label), append(of, f.Tables)
	}
	different := table.SideBySide(labels, of)
	if same := missing(p.Folders[0].Tables, different); len(same) > 0 {
		s.Intro += " The same everywhere: " + strings.Join(same, "; ") + "."
	}
	rendered, err := renderAll(different)
	if err != nil {
		return s, err
	}
	s.Contents = links(different)
	all := part{Tables: rendered}
	for _, f := range p.Folders {
		tables := slices.Clone(f.Tables)
		for i := range tables {
			tables[i].Name = f.ownName(tables[i].Name)
		}
		if rendered, err = renderAll(tables); err != nil {
			return s, err
		}
		all.Folded = append(all.Folded, folded{"All tables of " + f.label + ": " + f.Name, rendered})
	}
	s.Parts = []part{all}
	return s, nil
}

// links lead to tables.
func links(tables []table.Table) []link {
	var out []link
	for _, t := range tables {
		out = append(out, link{t.Name, t.Title})
	}
	return out
}

// missing are the titles of tables that are not among others.
func missing(tables, others []table.Table) []string {
	var titles []string
	for _, t := range tables {
		if !slices.ContainsFunc(others, func(other table.Table) bool { return other.Name == t.Name }) {
			titles = append(titles, t.Title)
		}
	}
	return titles
}

// ownName tells a folder's table from those of the other folders.
func (f Folder) ownName(name string) string { return identifier("folder", f.label, name) }

// figures are those of the suite. Their numbers stand in tables of the same
// names.
func figures(p Page) (section, error) {
	s := section{ID: "figures", Title: "Figures"}
	for _, f := range p.Folders {
		for _, drawn := range f.Figures {
			title, numbers := drawn.Title, drawn.Name
			if p.several() {
				title, numbers = f.label+": "+title, f.ownName(drawn.Name)
			}
			s.Parts = append(s.Parts, part{
				ID: identifier("figure", f.label, drawn.Name), Title: title,
				Figures: []illustration{{identifier("caption", f.label, drawn.Name), drawn.Caption + ".", drawn.Inline(), numbers}},
			})
		}
	}
	return s, nil
}
