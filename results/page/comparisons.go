package page

import (
	"fmt"
	"slices"
	"strings"

	"dgsbench/internal/lists"
	"dgsbench/metrics"
	"dgsbench/results"
	"dgsbench/results/table"
)

// comparisons returns the differences of every pair of models on a dataset, in
// tables that open on demand: one a folder, task, set of candidates and metric.
func comparisons(p Page, dataset string) ([]part, error) {
	out := part{
		ID: table.Identifier("comparisons", dataset), Title: "Pairs of models", Open: true,
		Texts: []string{"Every pair of models on the same test events: the difference of their means with its 95% interval, over events and seeds, " +
			"and its p-value, also adjusted (Holm) for all pairs of the suite's task by the metric. Pairs are told apart below 0.05."},
	}
	for _, f := range p.Folders {
		here := slices.DeleteFunc(slices.Clone(f.Comparisons), func(c results.Comparison) bool { return c.Dataset != dataset })
		for i, family := range lists.GroupBy(here, familyOf) {
			apart := 0
			for _, c := range family {
				if c.Significant() {
					apart++
				}
			}
			title := f.before + familyOf(family[0])
			t := comparisonTable(family)
			t.Name, t.Title = table.Identifier("comparisons", f.label, dataset, fmt.Sprint(i)), "Pairs of models on "+dataset+", "+title
			out.Folded = append(out.Folded, folded{
				Summary: fmt.Sprintf("%s: %s, %d told apart", title, results.Count(len(family), "pair"), apart), Tables: []table.Table{t},
			})
		}
	}
	if len(out.Folded) == 0 {
		return nil, nil
	}
	return []part{out}, nil
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
	where := func(c results.Comparison) string {
		return strings.Join(lists.NonEmpty(string(c.Setting), c.Case), ", ")
	}
	heads := []string{"better", "other", metric + " % of the better", "of the other", "difference, pp", "p", "p, adjusted", "told apart"}
	placed := slices.ContainsFunc(all, func(c results.Comparison) bool { return where(c) != "" })
	if placed {
		heads = append([]string{"where"}, heads...)
	}
	t := table.New(heads...)
	t.Heads = len(heads) - 6
	for c := t.Heads; c < t.Heads+3; c++ {
		t.Columns[c].Kind, t.Columns[c].Metric = table.Measured, metric
	}
	for _, same := range lists.GroupBy(all, results.Comparison.Place) {
		t.NextBlock()
		for _, c := range same {
			difference := table.NewValue(100*c.Difference, 2)
			difference.Low, difference.High, difference.Signed = 100*c.CILow, 100*c.CIHigh, true
			row := []any{c.Better.Title, c.Other.Title,
				table.NewValue(100*c.Better.Mean, 2), table.NewValue(100*c.Other.Mean, 2), difference,
				format("%.2g", float64(c.P)), format("%.2g", float64(c.Adjusted)), map[bool]string{true: "yes", false: "no"}[c.Significant()]}
			if placed {
				row = append([]any{where(c)}, row...)
			}
			t.Add(row...)
		}
	}
	return t
}
