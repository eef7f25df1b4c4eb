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

// summary has the answer of each folder.
func summary(p Page) (section, error) {
	s := section{ID: "summary", Title: "Summary"}
	for _, f := range p.Folders {
		if sentences := f.Summary.Sentences(); len(sentences) > 0 {
			s.Parts = append(s.Parts, part{Texts: lists.Map(sentences, func(text string) string { return f.before + text })})
		}
	}
	return s, nil
}

// overview has code, machines and data of what was measured; of several
// folders also their differences.
func overview(p Page) (section, error) {
	s := section{ID: "overview", Title: "What was measured"}
	facts := p.facts()
	about := part{Tables: []table.Table{p.factTable(facts)}}
	for _, f := range p.Folders {
		for _, w := range f.Warnings {
			about.Texts = append(about.Texts, "Warning: "+f.before+w+".")
		}
	}
	s.Parts = []part{about}
	if !p.several() {
		return s, nil
	}
	differences, err := p.specDifferences()
	if err != nil {
		return s, err
	}
	s.Title, s.Intro = "What differs", differing(facts, differences)
	if len(differences.Blocks) > 0 {
		s.Parts = append(s.Parts, part{Title: "Where specs and seeds differ", Tables: []table.Table{differences}})
	}
	return s, nil
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
	add("records", func(f Folder) string {
		failed := slices.DeleteFunc(slices.Clone(f.Records), func(r record.Record) bool { return !r.Failed() })
		return fmt.Sprintf("%d, %d failed", len(f.Records), len(failed))
	})
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
	ofRecords("latency measured", func(r record.Record) string {
		if r.Latency == nil {
			return ""
		}
		return startOf(r.Latency.Run)
	})
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

// startOf formats the name of a latency run, which is the time of its start.
func startOf(run string) string {
	start, err := time.Parse(time.RFC3339Nano, run)
	if err != nil {
		return run
	}
	return start.UTC().Format("2006-01-02 15:04:05.000 UTC")
}

// factTable has a row for each fact and a column for each folder.
func (p Page) factTable(facts []fact) table.Table {
	t := table.New("what", "in "+p.Folders[0].Name)
	if p.several() {
		t = table.New(append(p.folderHeads("what"), "differs")...)
	}
	t.Name, t.Title = "facts", "Records, code, machine and data"
	for _, f := range facts {
		row := append([]string{f.name}, f.values...)
		if p.several() {
			row = append(row, map[bool]string{true: "yes", false: "no"}[f.differs()])
		}
		t.AddRow(table.NewRow(row...))
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
	var rows [][]string
	for _, cells := range lists.GroupBy(p.cells(), seeds.key) {
		settings, err := p.settings(cells)
		if err != nil {
			return t, err
		}
		where := cells[0].title() + " on " + placeTitle(cells[0].key())
		for _, option := range slices.Sorted(maps.Keys(settings)) {
			f := fact{option, settings[option]}
			if !f.differs() {
				continue
			}
			row := append([]string{option}, f.values...)
			i := slices.IndexFunc(rows, func(other []string) bool { return slices.Equal(other[:len(row)], row) })
			if i < 0 {
				rows = append(rows, append(row, where))
			} else {
				rows[i][len(row)] += "; " + where
			}
		}
	}
	for _, row := range rows {
		t.AddRow(table.NewRow(row...))
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
