package page

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"dgsbench/internal/escape"
	"dgsbench/results"
	"dgsbench/results/figure"
	"dgsbench/results/record"
	"dgsbench/results/table"
)

// Page is what a report is made of.
type Page struct {
	Title   string
	Command string   // that makes the page
	Folders []Folder // at least one, and no more than MostFolders
}

// MostFolders is how many letters there are to name them.
const MostFolders = 26

// Folder is what one folder of results holds of the suite.
type Folder struct {
	Name        string // as the user calls it
	Records     []record.Record
	Tables      []table.Table
	Figures     []figure.Figure
	Comparisons []results.Comparison
	Warnings    []string
	Searches    []Search

	label string // A, B and so on
}

// several reports whether folders are compared.
func (p Page) several() bool { return len(p.Folders) > 1 }

// section is a part of the page with a heading; it is left out where it has
// nothing below it.
type section struct {
	ID, Title, Intro string
	Contents         []link // of its tables; by default of its parts
	Parts            []part
}

// link leads to a place in the page.
type link struct{ ID, Title string }

// contents are links to what stands in the section; none where there is only
// one thing to link to.
func (s section) contents() []link {
	out := s.Contents
	for _, p := range s.Parts {
		if p.ID != "" && p.Title != "" {
			out = append(out, link{p.ID, p.Title})
		}
	}
	if len(out) < 2 {
		return nil
	}
	return out
}

// part is a heading of the third level, if it has a title, with what stands
// below it: texts, tables, drawings, and more tables that open on demand.
type part struct {
	ID, Title string
	Texts     []string
	Tables    []template.HTML
	Figures   []illustration
	Charts    []chart
	Folded    []folded
}

// folded is hidden until somebody opens it.
type folded struct {
	Summary string
	Tables  []template.HTML
}

// illustration is a figure of the suite as it stands in the page.
type illustration struct {
	ID, Caption string
	Drawing     template.HTML
	Numbers     string // name of the table that holds its numbers
}

// sections make the page, in this order.
var sections = []func(Page) (section, error){
	overview, tables, figures, comparisons, learningCurves, latencies, searches, specifications,
}

//go:embed page.html
var pageHTML string

//go:embed chart.html
var chartHTML string

//go:embed style.css
var style string

//go:embed sort.js
var script string

var templates = template.Must(template.Must(template.New("page").Parse(pageHTML)).Parse(chartHTML))

// policy forbids the page every request, and every script but its own.
func policy() string {
	sum := sha256.Sum256([]byte(script))
	return fmt.Sprintf("default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-%s'; base-uri 'none'; form-action 'none'",
		base64.StdEncoding.EncodeToString(sum[:]))
}

// label gives the folders their letters, and takes the title of the page out
// of those of tables and figures, which by themselves must say of what they
// are.
func (p *Page) label() {
	p.Folders = slices.Clone(p.Folders)
	short := func(title string) string { return strings.TrimSuffix(title, " ("+p.Title+")") }
	for i := range p.Folders {
		f := &p.Folders[i]
		f.label = string(rune('A' + i))
		f.Tables, f.Figures = slices.Clone(f.Tables), slices.Clone(f.Figures)
		for t := range f.Tables {
			f.Tables[t].Title = short(f.Tables[t].Title)
		}
		for d := range f.Figures {
			f.Figures[d].Title = short(f.Figures[d].Title)
		}
	}
}

// Write writes the page: the same bytes for the same content.
func (p Page) Write(w io.Writer) error {
	view := struct {
		Title, Command, Policy string
		Style                  template.CSS
		Script                 template.JS
		Sections               []section
	}{p.Title, p.Command, policy(), template.CSS(style), template.JS(script), nil}
	p.label()
	for _, make := range sections {
		s, err := make(p)
		if err != nil {
			return err
		}
		if len(s.Parts) > 0 {
			s.Contents = s.contents()
			view.Sections = append(view.Sections, s)
		}
	}
	var out bytes.Buffer
	if err := templates.ExecuteTemplate(&out, "page", view); err != nil {
		return err
	}
	_, err := out.WriteTo(escape.NewWriter(w))
	return err
}
