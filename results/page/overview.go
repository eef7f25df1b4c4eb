package page

import (
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"

	"dgsbench/results/record"
	"dgsbench/results/table"
)

// overview says what was measured, where and of which data; of several folders
// also in what they differ.
func overview(p Page) (section, error) {
	s := section{ID: "overview", Title: "What was measured"}
	facts := slices.DeleteFunc(p.facts(), fact.empty)
	table, err := render(p.factTable(facts))
	if err != nil {
		return s, err
	}
	about := part{Tables: []template.HTML{table}}
	for _, f := range p.Folders {
		for _, w := range f.Warnings {
			if p.several() {
				w = f.label + ": " + w
			}
			about.Texts = append(about.Texts, "Warning: "+w+".")
		}
	}
	s.Parts = []part{about}
	if !p.several() {
		return s, nil
	}
	s.Title = "What differs"
	differences, err := p.specDifferences()
	if err != nil {
		return s, err
	}
	s.Intro = differing(facts, differences)
	if len(differences.Blocks) == 0 {
		return s, nil
	}
	table, err = render(differences)
	s.Parts = append(s.Parts, part{Title: "Where specs and seeds differ", Tables: []template.HTML{table}})
	return s, err
}

// fact is something that all folders tell about themselves.
type fact struct {
	name   string
	values []string // of each folder
}

// empty reports whether no folder tells it.
func (f fact) empty() bool {
	return !slices.ContainsFunc(f.values, func(v string) bool { return v != nothing })
}

// nothing stands for what a folder does not tell.
const nothing = "–"

func (f fact) differs() bool { return len(slices.Compact(slices.Clone(f.values))) > 1 }

// facts are about records, code, machines and data.
func (p Page) facts() []fact {
	out := []fact{
		p.fact("records", func(f Folder) string {
			failed := 0
			for _, r := range f.Records {
				if r.Failed() {
					failed++
				}
			}
			return fmt.Sprintf("%d, %d failed", len(f.Records), failed)
		}),
		p.ofRecords("code version", func(r record.Record) string { return r.CodeVersion }),
		p.ofRecords("version of the numerics", func(r record.Record) string { return fmt.Sprint(r.Numerics) }),
		p.ofRecords("machine", func(r record.Record) string { return r.Machine }),
		p.ofRecords("device", func(r record.Record) string { return r.Device }),
		p.ofRecords("threads of a trial", func(r record.Record) string { return fmt.Sprint(r.Threads) }),
	}
	for _, dataset := range p.datasets() {
		out = append(out, p.ofRecords("data of "+dataset, func(r record.Record) string {
			if r.Key.Dataset != dataset {
				return ""
			}
			return strings.TrimPrefix(r.DatasetTitle+", SHA-256 "+r.DataChecksum, ", ")
		}))
	}
	out = append(out, p.ofRecords("latency measured", func(r record.Record) string {
		if r.Latency == nil {
			return ""
		}
		return moment(r.Latency.Run)
	}))
	return append(out, p.fact("searches", Folder.searched))
}

// moment is the name of a latency run, which is when it began, as people read
// it.
func moment(run string) string {
	began, err := time.Parse(time.RFC3339Nano, run)
	if err != nil {
		return run
	}
	return began.UTC().Format("2006-01-02 15:04:05.000 UTC")
}

func (p Page) fact(name string, of func(Folder) string) fact {
	out := fact{name: name}
	for _, f := range p.Folders {
		out.values = append(out.values, of(f))
	}
	return out
}

// searched counts the searches and their trials.
func (f Folder) searched() string {
	if len(f.Searches) == 0 {
		return nothing
	}
	trials := 0
	for _, s := range f.Searches {
		trials += len(s.Trials)
	}
	return fmt.Sprintf("%d, of %s", len(f.Searches), count(trials, "trial"))
}

// ofRecords lists the different texts of each folder's records, in order.
func (p Page) ofRecords(name string, of func(record.Record) string) fact {
	return p.fact(name, func(f Folder) string {
		var texts []string
		for _, r := range f.Records {
			if text := of(r); text != "" {
				texts = append(texts, text)
			}
		}
		slices.Sort(texts)
		if len(texts) == 0 {
			return nothing
		}
		return strings.Join(slices.Compact(texts), "; ")
	})
}

// datasets are those of all folders.
func (p Page) datasets() []string {
	var out []string
	for _, f := range p.Folders {
		for _, r := range f.Records {
			if !slices.Contains(out, r.Key.Dataset) {
				out = append(out, r.Key.Dataset)
			}
		}
	}
	return out
}

// factTable has a row for each fact and a column for each folder.
func (p Page) factTable(facts []fact) table.Table {
	t := table.Table{Name: "facts", Title: "Records, code, machine and data", Columns: columns("what", "in "+p.Folders[0].Name)}
	if p.several() {
		t.Columns = p.folderColumns("what")
		t.Columns = append(t.Columns, table.Column{Head: "differs"})
	}
	var rows []table.Row
	for _, f := range facts {
		row := words(append([]string{f.name}, f.values...)...)
		if p.several() {
			row = append(row, table.Entry{Text: map[bool]string{true: "yes", false: "no"}[f.differs()]})
		}
		rows = append(rows, row)
	}
	t.Blocks = [][]table.Row{rows}
	return t
}

// folderColumns are a first one and one for each folder.
func (p Page) folderColumns(first string) []table.Column {
	out := columns(first)
	for _, f := range p.Folders {
		out = append(out, table.Column{Head: f.label + ": " + f.Name})
	}
	return out
}

// differing says in one sentence in what the folders differ.
func differing(facts []fact, specs table.Table) string {
	var names []string
	for _, f := range facts {
		if f.differs() {
			names = append(names, f.name)
		}
	}
	if len(specs.Blocks) > 0 {
		names = append(names, "specs or seeds")
	}
	if len(names) == 0 {
		return "The folders agree in code, machine, data and specs."
	}
	return "The folders differ in: " + strings.Join(names, "; ") + "."
}
