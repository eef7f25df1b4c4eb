package page

import (
	"html/template"
	"slices"

	"dgsbench/results/figure"
	"dgsbench/results/table"
)

// section is a part of the page with a heading; it is left out where it has
// nothing below it.
type section struct {
	ID, Title, Intro string
	Dataset          string // that it is about; empty for none
	Open             bool   // before anybody has folded or unfolded it
	Parts            []part
}

// Links returns the parts that the contents lead to.
func (s section) Links() []part {
	return slices.DeleteFunc(slices.Clone(s.Parts), func(p part) bool { return p.Title == "" || p.Link() == "" })
}

// part is what stands together in a section, under a heading where it has a title.
type part struct {
	ID, Title string
	Note      string // beside the title: how much there is
	Dataset   string // that it is about, if the section is not
	Open      bool
	Texts     []string
	Answers   []answer
	Figures   []illustration
	Charts    []chart
	Tables    []table.Table
	Folded    []folded
	Made      []code
}

// Link returns the identifier that leads to the part: for a table by itself, the
// table's.
func (p part) Link() string {
	if p.Lone() {
		return p.Tables[0].Name
	}
	return p.ID
}

// Lone reports whether the part is a table under the table's title.
func (p part) Lone() bool { return len(p.Tables) > 0 && p.Title == p.Tables[0].Title }

// answer is a paragraph of the summary.
type answer struct {
	Text    string
	Details []string
	Dataset string // that it is about; empty for none
	Warning bool
}

// code is a command and the specs and code of what it made.
type code struct{ What, Command, Source string }

// chart is about a model.
type chart struct {
	Model string
	figure.Chart
}

// folded is hidden until somebody opens it.
type folded struct {
	Summary string
	Model   string // that it is about; empty for none
	Tables  []table.Table
}

// illustration is a figure of the suite in the page, or some of its panels.
type illustration struct {
	ID, Caption string
	Drawings    []drawing
	Numbers     string // name of the table that holds its numbers
}

// drawing is a panel, or a figure without panels of their own.
type drawing struct {
	Dataset string // that it is about; empty for none
	SVG     template.HTML
}

// sections returns all that have something to say, in their order.
func (p Page) sections() ([]section, error) {
	all := []func(Page) (section, error){summary, differences, tables}
	for _, d := range p.datasets() {
		all = append(all, d.section)
	}
	all = append(all, across, searches, specifications, provenance)
	var out []section
	for _, newSection := range all {
		s, err := newSection(p)
		if err != nil {
			return nil, err
		}
		if len(s.Parts) > 0 {
			out = append(out, s)
		}
	}
	return out, nil
}

// section has everything that is about the dataset alone.
func (d dataset) section(p Page) (section, error) {
	s := section{ID: table.Identifier("dataset", d.ID), Title: d.ID, Dataset: d.ID, Open: true}
	if d.Title != d.ID {
		s.Intro = d.Title
	}
	for _, kind := range []func(Page, string) ([]part, error){figures, comparisons, learningCurves, latencies} {
		parts, err := kind(p, d.ID)
		if err != nil {
			return s, err
		}
		s.Parts = append(s.Parts, parts...)
	}
	return s, nil
}

// across has the figures that are not about a single dataset.
func across(p Page) (section, error) {
	parts, err := figures(p, "")
	return section{ID: "across", Title: "Across datasets", Open: true, Parts: parts}, err
}
