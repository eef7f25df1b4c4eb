package results

import (
	"fmt"

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
func speedsTable(in Input, r request) (Output, error) {
	l := r.layout(in.Latency).withoutDifferences()
	if len(l.Models) == 0 || len(in.Timed) == 0 {
		return Output{}, nil
	}
	t := r.table(l, "dataset", "batches x events")
	for _, m := range l.Models {
		t.Columns = append(t.Columns,
			table.Column{Kind: table.Measured, Group: m.Title, Metric: "seconds", Head: "seconds"},
			table.Column{Kind: table.Published, Group: m.Title, Metric: "latency", Head: paperHead + " s"})
	}
	for _, d := range l.Datasets {
		shared := in.sharedTestNotes(d, l.Models)
		row := table.Row{{Text: d.Title, Notes: t.Note(shared...)}, {Text: table.NoValue}}
		if d.PaperOnly {
			row[0].Notes = t.Note(unmeasuredNote(d))
		}
		for _, m := range l.Models {
			ours, err := in.time(d, m, shared, &t)
			if err != nil {
				return Output{}, err
			}
			paper := d.PaperName
			if r, ok := in.test(d, m); ok && !r.Failed() {
				first := r.Latency.Timings[0]
				row[1].Text, paper = fmt.Sprintf("%d x %d", first.Batches, first.Batch), r.PaperName
			}
			row = append(row, ours, paperTime(m, paper, &t))
		}
		t.AddRow(row)
	}
	t.Legend = []string{"±: standard deviation over iterations (n-1)", "paper: 200 batches of 200 events " + paperTimes, noValueLegend}
	return Output{Tables: []table.Table{t}}, nil
}

// test returns the latency test of a model on a dataset, if there is one. It is
// a failed one where none finished. Tests of another mode than streaming, which
// the paper's times are of, do not count.
func (in Input) test(d DatasetHead, m ModelHead) (r record.Record, ok bool) {
	for _, t := range in.Timed {
		k := t.Key
		if k.Dataset != d.ID || k.Model != m.ID || k.Variant != m.Variant || t.Latency != nil && t.Latency.Mode != record.Streaming {
			continue
		}
		if !ok || r.Failed() && !t.Failed() {
			r, ok = t, true
		}
	}
	return r, ok
}

// sharedTestNotes returns the footnotes that the latency tests of all models on
// a dataset have, which are at its head.
func (in Input) sharedTestNotes(d DatasetHead, models []ModelHead) []string {
	var lists [][]string
	for _, m := range models {
		if r, ok := in.test(d, m); ok {
			lists = append(lists, r.Footnotes)
		}
	}
	return inAll(lists)
}

// time returns the headline of a latency test, with footnotes that are not
// shared; nothing where there is no test.
func (in Input) time(d DatasetHead, m ModelHead, shared []string, t *table.Table) (table.Entry, error) {
	r, ok := in.test(d, m)
	if !ok {
		return table.Entry{}, nil
	}
	notes := without(r.Footnotes, shared)
	if r.Failed() {
		return table.Entry{Notes: t.Note(append(notes, "the latency test failed: "+r.Error)...)}, nil
	}
	test, err := readTest(in.Store, r)
	if err != nil {
		return table.Entry{}, err
	}
	return table.Entry{Notes: t.Note(notes...), Value: seconds(test.times[0])}, nil
}
