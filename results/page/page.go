// Package page writes the report: one HTML file that needs no other file and
// no network, with everything that is in the records of one or several
// folders. Tables are those of package results; charts are drawn when the page is
// written, because they take their colours from it, light or dark. The page's
// only script sorts rows, hides what a reader is not interested in, and marks where
// the reader is; without it the page can be read, too.
//
// Page.Write puts sections together; each section is a function, and so is each
// kind of what the section of a dataset holds.
package page

import (
	"bytes"
	"cmp"
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

	command, source string // that made the tables
}

// several reports whether folders are compared.
func (p Page) several() bool { return len(p.Folders) > 1 }

//go:embed page.html
var pageHTML string

//go:embed style.css
var style string

// The page has one script, of these.
var (
	//go:embed sort.js
	sortJS string
	//go:embed contents.js
	contentsJS string
	//go:embed filter.js
	filterJS string
)

var pageTemplate = template.Must(template.New("page").Parse(pageHTML))

// Write writes the page: the same bytes for the same content.
func (p Page) Write(w io.Writer) error {
	p.label()
	sections, err := p.sections()
	if err != nil {
		return err
	}
	script := "\"use strict\";\n" + sortJS + contentsJS + filterJS
	sum := sha256.Sum256([]byte(script))
	view := struct {
		Title, Facts, Policy string
		Style                template.CSS
		Script               template.JS
		Sections             []section
		Models               []string
		Datasets             []dataset
		Several              bool
	}{
		Title: p.Title, Facts: p.inBrief(), Style: template.CSS(style), Script: template.JS(script), Sections: sections,
		Models: p.models(), Datasets: p.datasets(), Several: p.several(),
		// No requests, and no script but the page's own.
		Policy: fmt.Sprintf("default-src 'none'; style-src 'unsafe-inline'; img-src data:; "+
			"script-src 'sha256-%s'; base-uri 'none'; form-action 'none'",
			base64.StdEncoding.EncodeToString(sum[:])),
	}
	var out bytes.Buffer
	if err := pageTemplate.ExecuteTemplate(&out, "page", view); err != nil {
		return err
	}
	_, err = out.WriteTo(escape.NewWriter(w))
	return err
}

// label gives the folders their letters, and removes from tables and figures what
// they have for use by themselves and the page says once: its title, and what made
// them.
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
			t := &f.Tables[t]
			f.command, f.source = cmp.Or(f.command, t.Command), cmp.Or(f.source, t.Source)
			t.Title, t.Command, t.Source = short(t.Title), "", ""
			t.Legend = slices.DeleteFunc(slices.Clone(t.Legend), func(line string) bool { return strings.HasPrefix(line, results.DrawnIn) })
		}
		for d := range f.Figures {
			d := &f.Figures[d]
			d.Title, d.Caption = short(d.Title), strings.TrimSuffix(d.Caption, ". Made by: "+f.command)
		}
	}
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

// byPlace returns the cells of every place on a dataset.
func (p Page) byPlace(dataset string) [][]seeds {
	here := slices.DeleteFunc(p.cells(), func(s seeds) bool { return s.key().Dataset != dataset })
	return lists.GroupBy(here, seeds.place)
}

// models returns the titles of all models.
func (p Page) models() []string {
	searched := lists.Map(p.titledSearches(), func(s Search) string { return s.title })
	return lists.Unique(append(lists.Map(p.cells(), seeds.title), searched...), func(title string) string { return title })
}

// dataset is one of those that the page is about.
type dataset struct {
	ID    string
	Title string // empty where no record says it
}

// datasets returns all that have records, figures, comparisons or searches.
func (p Page) datasets() (out []dataset) {
	titles := map[string]string{}
	var ids []string
	for _, f := range p.Folders {
		for _, r := range f.Records {
			ids, titles[r.Key.Dataset] = append(ids, r.Key.Dataset), r.DatasetTitle
		}
		for _, c := range f.Comparisons {
			ids = append(ids, c.Dataset)
		}
		for _, drawn := range f.Figures {
			ids = append(ids, lists.Map(drawn.Panels, func(d figure.PanelDrawing) string { return d.Group })...)
		}
		ids = append(ids, lists.Map(f.Searches, func(s Search) string { return s.Dataset })...)
	}
	return lists.Unique(lists.NonEmpty(ids...), func(id string) dataset { return dataset{id, titles[id]} })
}

// tasks are their names for readers.
var tasks = map[protocol.Task]string{protocol.NodeClassification: "node classification", protocol.LinkPrediction: "link prediction"}

// placeTitle returns a place in words.
func placeTitle(k record.CellKey) string { return k.Dataset + ", " + taskTitle(k) }

// taskTitle returns a place on its dataset in words.
func taskTitle(k record.CellKey) string {
	text := tasks[k.Task]
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
