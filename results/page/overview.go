package page

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"dgsbench/internal/lists"
	"dgsbench/results"
	"dgsbench/results/record"
	"dgsbench/results/table"
)

// summary has the answer of each folder, what is wrong with it, and its first
// figure.
func summary(p Page) (section, error) {
	s := section{ID: "summary", Title: "Summary", Open: true}
	for i := range p.Folders {
		f := &p.Folders[i]
		var here part
		for _, a := range f.Summary.Answers {
			here.Answers = append(here.Answers, answer{Text: f.before + a.Best, Details: a.Details, Dataset: a.Dataset})
		}
		for _, text := range slices.Concat(f.Summary.Failed, f.Summary.Remarks) {
			here.Answers = append(here.Answers, answer{Text: f.before + text, Warning: true})
		}
		for _, w := range f.Warnings {
			here.Answers = append(here.Answers, answer{Text: "Warning: " + f.before + w + ".", Warning: true})
		}
		if len(here.Answers) > 0 {
			s.Parts = append(s.Parts, here)
		}
	}
	for i := range p.Folders {
		if f := &p.Folders[i]; len(f.Figures) > 0 {
			s.Parts = append(s.Parts, f.part(f.Figures[0], f.Figures[0].Panels, ""))
		}
	}
	return s, nil
}

// inBrief counts what was measured.
func (p Page) inBrief() string {
	trials, failed := 0, 0
	for _, f := range p.Folders {
		trials += len(f.Records)
		failed += f.failed()
	}
	if trials == 0 {
		return ""
	}
	text := fmt.Sprintf("%s on %s, %s, %d failed", results.Count(len(p.models()), "model"), results.Count(len(p.datasets()), "dataset"),
		results.Count(trials, "trial"), failed)
	if p.several() {
		text += fmt.Sprintf(", in %d folders", len(p.Folders))
	}
	return text
}

// failed counts the trials without a result.
func (f Folder) failed() (n int) {
	for _, r := range f.Records {
		if r.Failed() {
			n++
		}
	}
	return n
}

// differences has what is not the same in several folders.
func differences(p Page) (section, error) {
	s := section{ID: "differences", Title: "What differs", Open: true}
	if !p.several() {
		return s, nil
	}
	specs, err := p.specDifferences()
	if err != nil {
		return s, err
	}
	facts := p.facts()
	s.Intro = differing(facts, specs)
	facts = slices.DeleteFunc(facts, func(f fact) bool { return !f.differs() })
	if len(facts) > 0 {
		s.Parts = []part{{Tables: []table.Table{p.factTable("differing-facts", "Facts that differ", facts)}}}
	}
	if len(specs.Blocks) > 0 {
		s.Parts = append(s.Parts, part{Title: specs.Title, Open: true, Tables: []table.Table{specs}})
	}
	return s, nil
}

// provenance has records, code, machines and data of what was measured, and the
// commands that made the page.
func provenance(p Page) (section, error) {
	facts := p.facts()
	here := part{Tables: []table.Table{p.factTable("facts", "Records, code, machine and data", facts)}}
	made := []code{{"This page", p.Command, ""}}
	for _, f := range p.Folders {
		made = append(made, code{f.before + "Tables and figures", f.command, f.source})
	}
	here.Made = slices.DeleteFunc(made, func(c code) bool { return c.Command == "" })
	return section{ID: "provenance", Title: "How this was made", Open: true, Parts: []part{here}}, nil
}

// fact is a property with its value in each folder.
type fact struct {
	name   string
	values []string // of each folder
}

func (f fact) differs() bool { return len(slices.Compact(slices.Clone(f.values))) > 1 }

// facts returns the facts about records, code, machines and data that any folder
// has.
func (p Page) facts() []fact {
	var out []fact
	add := func(name string, of func(Folder) string) {
		f := fact{name, lists.Map(p.Folders, of)}
		if strings.Join(f.values, "") == "" {
			return
		}
		for i, v := range f.values {
			if v == "" {
				f.values[i] = table.NoValue
			}
		}
		out = append(out, f)
	}
	// The different texts of a folder's records, in order.
	ofRecords := func(name string, of func(record.Record) string) {
		add(name, func(f Folder) string {
			texts := lists.Map(f.Records, of)
			slices.Sort(texts)
			return strings.Join(lists.NonEmpty(slices.Compact(texts)...), "; ")
		})
	}
	add("records", func(f Folder) string { return fmt.Sprintf("%d, %d failed", len(f.Records), f.failed()) })
	ofRecords("code version", func(r record.Record) string { return r.CodeVersion })
	ofRecords("version of the numerics", func(r record.Record) string { return fmt.Sprint(r.Numerics) })
	ofRecords("machine", func(r record.Record) string { return r.Machine })
	ofRecords("device", func(r record.Record) string { return r.Device })
	ofRecords("threads of a trial", func(r record.Record) string { return fmt.Sprint(r.Threads) })
	for _, same := range lists.GroupBy(p.cells(), func(s seeds) string { return s.key().Dataset }) {
		dataset := same[0].key().Dataset
		ofRecords("data of "+dataset, func(r record.Record) string {
			if r.Key.Dataset != dataset {
				return ""
			}
			return strings.TrimPrefix(r.DatasetTitle+", SHA-256 "+r.DataChecksum, ", ")
		})
	}
	for _, test := range []struct {
		name string
		is   func(record.Record) bool
	}{{"latency measured", func(r record.Record) bool { return r.Latency != nil }}, {"answers under load", func(r record.Record) bool { return r.Live != nil }}} {
		ofRecords(test.name, func(r record.Record) string {
			if !test.is(r) {
				return ""
			}
			return startOf(r.Run())
		})
	}
	add("searches", func(f Folder) string {
		if len(f.Searches) == 0 {
			return ""
		}
		trials := 0
		for _, s := range f.Searches {
			trials += len(s.Trials)
		}
		return fmt.Sprintf("%d, of %s", len(f.Searches), results.Count(trials, "trial"))
	})
	return out
}

// startOf formats the name of a run of latency or live tests, which is the time of its start.
func startOf(run string) string {
	start, err := time.Parse(time.RFC3339Nano, run)
	if err != nil {
		return run
	}
	return start.UTC().Format("2006-01-02 15:04:05.000 UTC")
}

// factTable has a row for each fact and a column for each folder.
func (p Page) factTable(name, title string, facts []fact) table.Table {
	t := table.New("what", "in "+p.Folders[0].Name)
	if p.several() {
		t = table.New(p.folderHeads("what")...)
	}
	t.Name, t.Title = name, title
	for _, f := range facts {
		t.AddRow(table.NewRow(append([]string{f.name}, f.values...)...))
	}
	return t
}

// folderHeads returns a first head and one for each folder.
func (p Page) folderHeads(first string) []string {
	return append([]string{first}, lists.Map(p.Folders, func(f Folder) string { return f.before + f.Name })...)
}

// differing lists the differences of the folders in one sentence.
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

// specDifferences returns a table of the options that folders set differently,
// and of models and seeds that only some of them have; no blocks where there
// are none. Models for which the values are the same share a row.
func (p Page) specDifferences() (table.Table, error) {
	t := table.New(append(p.folderHeads("option"), "of")...)
	t.Name, t.Title = "spec-differences", "Options, seeds and models that are not the same"
	type row struct {
		entries      []string
		model, place string
	}
	var rows []row
	for _, cells := range lists.GroupBy(p.cells(), seeds.key) {
		settings, err := p.settings(cells)
		if err != nil {
			return t, err
		}
		for _, option := range slices.Sorted(maps.Keys(settings)) {
			if f := (fact{option, settings[option]}); f.differs() {
				rows = append(rows, row{append([]string{option}, f.values...), cells[0].title(), placeTitle(cells[0].key())})
			}
		}
	}
	for _, same := range lists.GroupBy(rows, func(r row) string { return strings.Join(r.entries, "\x00") }) {
		of := lists.Map(lists.GroupBy(same, func(r row) string { return r.place }), func(here []row) string {
			return strings.Join(lists.Map(here, func(r row) string { return r.model }), ", ") + " on " + here[0].place
		})
		t.AddRow(table.NewRow(append(same[0].entries, strings.Join(of, "; "))...))
	}
	return t, nil
}

// settings returns the values of every option of a cell, by folder. Where a
// folder lacks the cell, they are its seeds alone.
func (p Page) settings(cells []seeds) (map[string][]string, error) {
	out := map[string][]string{"seeds": slices.Repeat([]string{"not measured"}, len(p.Folders))}
	for _, c := range cells {
		i := slices.IndexFunc(p.Folders, func(f Folder) bool { return f.label == c.folder.label })
		out["seeds"][i] = c.numbers()
		set, err := c.settings()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.folder.Name, err)
		}
		if len(cells) < len(p.Folders) {
			continue
		}
		for option, value := range set {
			if out[option] == nil {
				out[option] = slices.Repeat([]string{table.NoValue}, len(p.Folders))
			}
			out[option][i] = value
		}
	}
	return out, nil
}
