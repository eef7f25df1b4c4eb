package page

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"dgsbench/internal/lists"
	"dgsbench/metrics"
	"dgsbench/results"
	"dgsbench/results/record"
	"dgsbench/results/table"
)

// tables returns those of the suite: of one folder as they are, of several side
// by side, with each folder's own below.
func tables(p Page) (section, error) {
	s := section{ID: "tables", Title: "Tables", Intro: "Heads of columns are buttons that sort the rows, each block for itself."}
	all := part{Tables: p.Folders[0].Tables}
	if p.several() {
		all = p.sideBySide(&s)
	}
	s.Contents = lists.Map(all.Tables, func(t table.Table) link { return link{t.Name, t.Title} })
	if len(all.Tables)+len(all.Folded) > 0 {
		s.Parts = []part{all}
	}
	return s, nil
}

// sideBySide has the tables of several folders.
func (p Page) sideBySide(s *section) (all part) {
	s.Intro += " Folders stand side by side under their letters; the tables of each folder follow."
	var labels []string
	var of [][]table.Table
	for _, f := range p.Folders {
		labels, of = append(labels, f.label), append(of, f.Tables)
		own := slices.Clone(f.Tables)
		for i := range own {
			own[i].Name = f.ownName(own[i].Name)
		}
		all.Folded = append(all.Folded, folded{"All tables of " + f.label + ": " + f.Name, own})
	}
	all.Tables = table.SideBySide(labels, of)
	var same []string // titles of tables that are left out
	for _, t := range p.Folders[0].Tables {
		if !slices.ContainsFunc(all.Tables, func(other table.Table) bool { return other.Name == t.Name }) {
			same = append(same, t.Title)
		}
	}
	if len(same) > 0 {
		s.Intro += " The same everywhere: " + strings.Join(same, "; ") + "."
	}
	return all
}

// ownName distinguishes a folder's table from those of the other folders.
func (f Folder) ownName(name string) string { return table.Identifier("folder", f.label, name) }

// figures returns those of the suite. Their numbers are in tables of the same
// names.
func figures(p Page) (section, error) {
	s := section{ID: "figures", Title: "Figures"}
	for _, f := range p.Folders {
		for _, drawn := range f.Figures {
			numbers := drawn.Name
			if p.several() {
				numbers = f.ownName(drawn.Name)
			}
			s.Parts = append(s.Parts, part{
				ID: table.Identifier("figure", f.label, drawn.Name), Title: f.before + drawn.Title,
				Figures: []illustration{{table.Identifier("caption", f.label, drawn.Name), drawn.Caption + ".", drawn.Inline(), numbers}},
			})
		}
	}
	return s, nil
}

// comparisons returns the differences of every pair of models, in tables that
// open on demand: one a folder, task and set of candidates.
func comparisons(p Page) (section, error) {
	s := section{
		ID: "comparisons", Title: "Which differences count",
		Intro: "Every pair of models on the same test events: the difference of their means with its 95% interval, over events and seeds, " +
			"and its p-value, also adjusted (Holm) for all pairs of the table. Pairs are told apart below 0.05.",
	}
	here := part{}
	for _, f := range p.Folders {
		for i, family := range lists.GroupBy(f.Comparisons, familyOf) {
			title := f.before + familyOf(family[0])
			t := comparisonTable(family)
			t.Name, t.Title = table.Identifier("comparisons", f.label, fmt.Sprint(i)), "Pairs of models, "+title
			here.Folded = append(here.Folded, folded{fmt.Sprintf("%s: %s", title, results.Count(len(family), "pair")), []table.Table{t}})
		}
	}
	if len(here.Folded) > 0 {
		s.Parts = []part{here}
	}
	return s, nil
}

// familyOf names the pairs that are adjusted together.
func familyOf(c results.Comparison) string {
	text := tasks[c.Task]
	if c.Candidates != "" {
		text += " against " + strings.ReplaceAll(string(c.Candidates), "_", " ")
	}
	if m, err := metrics.Lookup(c.Metric); err == nil && m.Name != metrics.Of(m.Task)[0].Name {
		text += " by " + m.Title
	}
	return text
}

// comparisonTable has a block for each place.
func comparisonTable(all []results.Comparison) table.Table {
	metric := all[0].Metric
	if m, err := metrics.Lookup(metric); err == nil {
		metric = m.Title
	}
	t := table.New("where", "better", "other", metric+" % of the better", "of the other", "difference, pp", "p", "p, adjusted", "told apart")
	t.Heads = 3
	for c := 3; c < 6; c++ {
		t.Columns[c].Kind, t.Columns[c].Metric = table.Measured, metric
	}
	for _, same := range lists.GroupBy(all, results.Comparison.Place) {
		t.NextBlock()
		for _, c := range same {
			where := strings.Join(lists.NonEmpty(c.Dataset, string(c.Setting), c.Case), ", ")
			difference := table.NewValue(100*c.Difference, 2)
			difference.Low, difference.High, difference.Signed = 100*c.CILow, 100*c.CIHigh, true
			t.Add(where, c.Better.Title, c.Other.Title,
				table.NewValue(100*c.Better.Mean, 2), table.NewValue(100*c.Other.Mean, 2), difference,
				format("%.2g", float64(c.P)), format("%.2g", float64(c.Adjusted)), map[bool]string{true: "yes", false: "no"}[c.Significant()])
		}
	}
	return t
}

// specifications lists the resolved spec of every cell, with the origin of
// each option.
func specifications(p Page) (section, error) {
	s := section{
		ID: "specs", Title: "Specifications",
		Intro: "Everything that was set when a model was measured, as its records have it. Seeds of a model differ in nothing else.",
	}
	for _, cells := range p.byPlace() {
		place := cells[0].place()
		here := part{ID: "specs-" + placeID(place), Title: placeTitle(place)}
		for _, c := range cells {
			t, err := c.specification()
			if err != nil {
				return s, err
			}
			here.Folded = append(here.Folded, folded{c.heading(), []table.Table{t}})
		}
		s.Parts = append(s.Parts, here)
	}
	return s, nil
}

func (s seeds) specification() (table.Table, error) {
	set, err := s.settings()
	if err != nil {
		return table.Table{}, err
	}
	origins, err := s.records[0].OptionOrigins()
	if err != nil {
		return table.Table{}, err
	}
	t := table.New("option", "value", "origin", "from")
	t.Name, t.Title = "spec-"+s.id(), s.heading()+" on "+placeTitle(s.key())
	t.Legend = []string{"seeds: " + s.numbers(), results.Count(s.records[0].NumParams, "learned parameter")}
	t.NextBlock()
	for _, path := range slices.Sorted(maps.Keys(set)) {
		origin, from := "", ""
		option, isOption := strings.CutPrefix(path, "options.")
		if o, ok := origins[option]; ok && isOption {
			origin, from = o.Origin, fmt.Sprintf("%s:%d", o.File, o.Line)
		}
		t.Add(path, set[path], origin, from)
	}
	return t, nil
}

// settings returns what the spec of the cell sets, by dotted path, without the
// seed.
func (s seeds) settings() (map[string]string, error) {
	out, err := record.Leaves(s.records[0].Spec)
	if err != nil {
		return nil, fmt.Errorf("spec of %s: %w", s.key(), err)
	}
	maps.DeleteFunc(out, func(path, value string) bool { return path == "seed" || value == "{}" })
	return out, nil
}
