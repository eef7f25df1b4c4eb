package results

import (
	"fmt"
	"slices"

	"dgsbench/internal/optional"
	"dgsbench/results/record"
	"dgsbench/results/table"
)

// seconds returns the headline as an entry's value.
func seconds(t times) *table.Value {
	v := table.NewValue(t.mean(), 4)
	v.Std = optional.Number(t.std())
	return v
}

// speedsTable returns the time of the latency test, datasets x models.
func speedsTable(r request) (Output, error) {
	l := r.layout(r.Latency).withoutDifferences()
	if len(l.Models) == 0 || len(r.Timed) == 0 {
		return Output{}, nil
	}
	t := grid[DatasetHead]{Table: r.table()}
	t.add(table.Column{Head: "dataset"}, func(d DatasetHead) table.Entry {
		return table.Entry{Text: d.Title, Notes: t.Note(r.sharedTestNotes(d, l.Models)...)}
	})
	t.add(table.Column{Head: "batches x events"}, func(d DatasetHead) table.Entry {
		size := ""
		for _, m := range l.Models {
			if test, ok := r.test(d, m); ok && !test.Failed() {
				size = fmt.Sprintf("%d x %d", test.times[0].Batches, test.times[0].Batch)
			}
		}
		return text(size)
	})
	for _, m := range l.Models {
		t.add(table.Column{Kind: table.Measured, Group: m.Title, Metric: "seconds", Head: "seconds"}, func(d DatasetHead) table.Entry {
			return r.time(d, m, l.Models, &t.Table)
		})
		t.add(table.Column{Kind: table.Published, Group: m.Title, Metric: "latency", Head: paperHead + " s"}, func(d DatasetHead) table.Entry {
			if test, ok := r.test(d, m); ok && !test.Failed() {
				return paperTime(m, test.PaperName, &t.Table)
			}
			return paperTime(m, d.PaperName, &t.Table)
		})
	}
	t.addBlock(l.Datasets...)
	t.DropUnpublished()
	t.Legend = []string{"±: standard deviation over iterations (n-1)"}
	if slices.ContainsFunc(t.Columns, func(c table.Column) bool { return c.Kind == table.Published }) {
		t.Legend = append(t.Legend, "paper: 200 batches of 200 events "+paperTimes)
	}
	isEmpty := func(e table.Entry) bool { return e.Text == "" && e.Value == nil }
	if slices.ContainsFunc(slices.Concat(t.Blocks...), func(row table.Row) bool { return slices.ContainsFunc(row, isEmpty) }) {
		t.Legend = append(t.Legend, noValueLegend)
	}
	return Output{Tables: []table.Table{t.Table}}, nil
}

// test returns the latency test of a model on a dataset, if there is one. It is
// a failed one where none finished. Tests of another mode than streaming, which
// the paper's times are of, do not count.
func (in Input) test(d DatasetHead, m ModelHead) (found LatencyTest, ok bool) {
	for _, t := range in.Timed {
		k := t.Key
		if k.Dataset != d.ID || k.Model != m.ID || k.Variant != m.Variant || t.Latency != nil && t.Latency.Mode != record.Streaming {
			continue
		}
		if !ok || found.Failed() && !t.Failed() {
			found, ok = t, true
		}
	}
	return found, ok
}

// sharedTestNotes returns the footnotes that the latency tests of all models on
// a dataset have, which are at its head.
func (in Input) sharedTestNotes(d DatasetHead, models []ModelHead) []string {
	var lists [][]string
	for _, m := range models {
		if t, ok := in.test(d, m); ok {
			lists = append(lists, t.Footnotes)
		}
	}
	return inAll(lists)
}

// time returns the headline of a latency test, with footnotes that those of
// other models do not share; nothing where there is no test.
func (in Input) time(d DatasetHead, m ModelHead, models []ModelHead, t *table.Table) table.Entry {
	test, ok := in.test(d, m)
	if !ok {
		return table.Entry{}
	}
	notes := without(test.Footnotes, in.sharedTestNotes(d, models))
	if test.Failed() {
		return table.Entry{Notes: append(t.KeyNote("the latency test failed: "+test.Error), t.Note(notes...)...)}
	}
	return table.Entry{Notes: t.Note(notes...), Value: seconds(test.times[0])}
}
