package page

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"

	"dgsbench/internal/optional"
	"dgsbench/metrics"
	"dgsbench/results"
	"dgsbench/results/table"
)

// comparisons are the differences of every pair of models, in tables that
// open on demand: one a folder, task and set of candidates.
func comparisons(p Page) (section, error) {
	s := section{
		ID: "comparisons", Title: "Which differences count",
		Intro: "Every pair of models on the same test events: the difference of their means with its 95% interval, over events and seeds, " +
			"and its p-value, also adjusted (Holm) for all pairs of the table. Pairs are told apart below 0.05.",
	}
	here := part{}
	for _, f := range p.Folders {
		titles := f.titles()
		for i, same := range groups(f.Comparisons, readTogether) {
			title := readTogether(same[0])
			if p.several() {
				title = f.label + ": " + title
			}
			t := comparisonTable(same, titles)
			t.Name, t.Title = identifier("comparisons", f.label, fmt.Sprint(i)), "Pairs of models, "+title
			table, err := render(t)
			if err != nil {
				return s, err
			}
			here.Folded = append(here.Folded, folded{fmt.Sprintf("%s: %s", title, count(len(same), "pair")), []template.HTML{table}})
		}
	}
	if len(here.Folded) > 0 {
		s.Parts = []part{here}
	}
	return s, nil
}

// readTogether names the pairs that are adjusted together.
func readTogether(c results.Comparison) string {
	if c.Candidates == "" {
		return tasks[c.Task]
	}
	return tasks[c.Task] + " against " + strings.ReplaceAll(string(c.Candidates), "_", " ")
}

// model is a model by id and variant.
type model struct{ id, variant string }

// titles are the models' names for readers.
func (f Folder) titles() map[model]string {
	out := map[model]string{}
	for _, r := range f.Records {
		out[model{r.Key.Model, r.Key.Variant}] = r.ModelTitle
	}
	return out
}

// comparisonTable has a block for each place.
func comparisonTable(all []results.Comparison, titles map[model]string) table.Table {
	metric := all[0].Metric
	if m, err := metrics.Lookup(metric); err == nil {
		metric = m.Title
	}
	measured := func(head string) table.Column {
		return table.Column{Kind: table.Measured, Metric: metric, Head: head}
	}
	t := table.Table{
		Heads: 3,
		Columns: append(columns("where", "better", "other"),
			measured(metric+" % of the better"), measured("of the other"), measured("difference, pp"),
			table.Column{Head: "p"}, table.Column{Head: "p, adjusted"}, table.Column{Head: "told apart"}),
	}
	where := func(c results.Comparison) place { return place{c.Dataset, "", c.Setting, c.Case} }
	for _, same := range groups(all, where) {
		var rows []table.Row
		for _, c := range same {
			row := words(where(c).short(), titles[model{c.Better.Model, c.Better.Variant}], titles[model{c.Other.Model, c.Other.Variant}])
			row = append(row, inPercent(c.Better.Mean), inPercent(c.Other.Mean), difference(c))
			apart := "no"
			if c.ToldApart() {
				apart = "yes"
			}
			rows = append(rows, append(row, words(probability(c.P), probability(c.Adjusted), apart)...))
		}
		t.Blocks = append(t.Blocks, rows)
	}
	return t
}

// short is the place without its task.
func (p place) short() string {
	text := p.dataset
	for _, more := range []string{string(p.setting), p.kase} {
		if more != "" {
			text += ", " + more
		}
	}
	return text
}

func inPercent(mean optional.Number) table.Entry {
	return table.Entry{Value: &table.Value{Mean: 100 * mean, Std: optional.Absent(), Low: optional.Absent(), High: optional.Absent(), Decimals: 2}}
}

func difference(c results.Comparison) table.Entry {
	return table.Entry{Value: &table.Value{
		Mean: 100 * c.Difference, Std: optional.Absent(), Low: 100 * c.CILow, High: 100 * c.CIHigh, Decimals: 2, Signed: true,
	}}
}

func probability(p optional.Number) string {
	if !p.Present() {
		return "–"
	}
	return strconv.FormatFloat(float64(p), 'g', 2, 64)
}
