// Package page writes the report: one HTML file that needs no other file and
// no network, with everything that is in the records of one or several
// folders. Tables are those of package results; charts are drawn when the page is
// written, because they take their colours from it, light or dark. The page's
// only script sorts rows.
//
// Page.Write puts sections together; each section is a function.
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
	"dgsbench/internal/lists"
	"dgsbench/internal/optional"
	"dgsbench/protocol"
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
	Name string // as the user calls it
	results.Report
	Searches []Search

	label         string // A, B and so on
	before, after string // "A: " and ", A", of texts about the folder; empty where there is one folder
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

// link leads to an element of the page.
type link struct{ ID, Title string }

// part is a heading of the third level, if it has a title, and its content.
type part struct {
	ID, Title string
	Texts     []string
	Figures   []illustration
	Charts    []figure.Chart
	Tables    []table.Table
	Folded    []folded
}

// folded is hidden until somebody opens it.
type folded struct {
	Summary string
	Tables  []table.Table
}

// illustration is a figure of the suite in the page.
type illustration struct {
	ID, Caption string
	Drawing     template.HTML
	Numbers     string // name of the table that holds its numbers
}

// sections make the page, in this order.
var sections = []func(Page) (section, error){
	summary, overview, tables, figures, comparisons, learningCurves, latencies, searches, specifications,
}

//go:embed page.html
var pageHTML string

//go:embed style.css
var style string

//go:embed sort.js
var script string

var pageTemplate = template.Must(template.New("page").Parse(pageHTML))

// Write writes the page: the same bytes for the same content.
func (p Page) Write(w io.Writer) error {
	sum := sha256.Sum256([]byte(script))
	view := struct {
		Title, Command, Policy string
		Style                  template.CSS
		Script                 template.JS
		Sections               []section
	}{
		Title: p.Title, Command: p.Command, Style: template.CSS(style), Script: template.JS(script),
		// No requests, and no script but the page's own.
		Policy: fmt.Sprintf("default-src 'none'; style-src 'unsafe-inline'; img-src data:; "+
			"script-src 'sha256-%s'; base-uri 'none'; form-action 'none'",
			base64.StdEncoding.EncodeToString(sum[:])),
	}
	p.label()
	for _, newSection := range sections {
		s, err := newSection(p)
		if err != nil {
			return err
		}
		if len(s.Parts) > 0 {
			s.Contents = s.contents()
			view.Sections = append(view.Sections, s)
		}
	}
	var out bytes.Buffer
	if err := pageTemplate.ExecuteTemplate(&out, "page", view); err != nil {
		return err
	}
	_, err := out.WriteTo(escape.NewWriter(w))
	return err
}

// label gives the folders their letters, and removes the title of the page
// from those of tables and figures, which have it for use by themselves.
func (p *Page) label() {
	p.Folders = slices.Clone(p.Folders)
	short := func(title string) string { return strings.TrimSuffix(title, " ("+p.Title+")") }
	for i := range p.Folders {
		f := &p.Folders[i]
		f.label = string(rune('A' + i))
		if p.several() {
			f.before, f.after = f.label+": ", ", "+f.label
		}
		f.Tables, f.Figures = slices.Clone(f.Tables), slices.Clone(f.Figures)
		for t := range f.Tables {
			f.Tables[t].Title = short(f.Tables[t].Title)
		}
		for d := range f.Figures {
			f.Figures[d].Title = short(f.Figures[d].Title)
		}
	}
}

// contents returns links to the contents of a section; none where there is only
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

// seeds are the records of all seeds of a cell, in one folder.
type seeds struct {
	folder  *Folder
	records []record.Record
}

func (s seeds) key() record.CellKey   { return s.records[0].Key.CellKey }
func (s seeds) place() record.CellKey { return s.key().Place() }
func (s seeds) title() string         { return s.records[0].ModelTitle }

// heading names the model, and the folder where there are several.
func (s seeds) heading() string { return s.title() + s.folder.after }

// id identifies the seeds in the page.
func (s seeds) id() string {
	k := s.key()
	return table.Identifier(s.folder.label, placeID(k), k.Model, k.Variant)
}

// numbers lists the seeds that were measured.
func (s seeds) numbers() string {
	return strings.Join(lists.Map(s.records, func(r record.Record) string { return fmt.Sprint(r.Key.Seed) }), ", ")
}

// cells returns the seeds of every cell and folder. Those of the same cell in
// several folders follow each other.
func (p Page) cells() []seeds {
	var out []seeds
	for i := range p.Folders {
		for _, records := range lists.GroupBy(p.Folders[i].Records, func(r record.Record) record.CellKey { return r.Key.CellKey }) {
			out = append(out, seeds{&p.Folders[i], records})
		}
	}
	return slices.Concat(lists.GroupBy(out, seeds.key)...)
}

// byPlace returns the cells of every place.
func (p Page) byPlace() [][]seeds { return lists.GroupBy(p.cells(), seeds.place) }

// tasks are their names for readers.
var tasks = map[protocol.Task]string{protocol.NodeClassification: "node classification", protocol.LinkPrediction: "link prediction"}

// placeTitle returns a place in words.
func placeTitle(k record.CellKey) string {
	text := k.Dataset + ", " + tasks[k.Task]
	if k.Setting != "" {
		text += " " + string(k.Setting)
	}
	if k.Case != "" {
		text += ", " + k.Case
	}
	return text
}

// placeID returns a place as a part of an identifier in the page.
func placeID(k record.CellKey) string {
	return table.Identifier(k.Dataset, string(k.Task), string(k.Setting), k.Case)
}

// format formats a number by a verb, as %.4g.
func format(verb string, x float64) string {
	if !optional.Number(x).Present() {
		return table.NoValue
	}
	return fmt.Sprintf(verb, x)
}

// number has four digits.
func number(x float64) string { return format("%.4g", x) }

// percent returns a fraction in per cent.
func percent(n optional.Number) string { return format("%.2f", 100*float64(n)) }
