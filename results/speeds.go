package results

import (
	"fmt"
	"slices"

	"dgsbench/internal/optional"
	"dgsbench/results/record"
	"dgsbench/results/table"
)

// newTable is an empty table about what the layout holds.
func newTable(l Layout, r request) table.Table {
	return named(table.Table{Title: l.titled(r.title), Command: l.Command, Source: l.Source}, r.definition.ID)
}

// timed is the latency test of a model on a dataset, if there is one. It is a
// failed one where none finished. Tests of another mode than streaming, which
// the paper's times are of, do not count.
func (in Input) timed(d DatasetHead, m ModelHead) (record.Record, bool) {
	tests := slices.DeleteFunc(slices.Clone(in.Timed), func(r record.Record) bool {
		k := r.Key
		return k.Dataset != d.ID || k.Model != m.ID || k.Variant != m.Variant || r.Latency != nil && r.Latency.Mode != record.Streaming
	})
	if len(tests) == 0 {
		return record.Record{}, false
	}
	finished := slices.IndexFunc(tests, func(r record.Record) bool { return !r.Failed() })
	return tests[max(0, finished)], true
}

// sharedTestNotes are the footnotes that the latency tests of all models on a
// dataset have: they stand at its head.
func (in Input) sharedTestNotes(d DatasetHead, models []ModelHead) []string {
	var shared []string
	seen := false
	for _, m := range models {
		r, ok := in.timed(d, m)
		if !ok {
			continue
		}
		if !seen {
			seen, shared = true, slices.Clone(r.Footnotes)
		}
		shared = slices.DeleteFunc(shared, func(n string) bool { return !slices.Contains(r.Footnotes, n) })
	}
	return shared
}

// testNotes are what is to be said of one latency test and not of all of its
// dataset, which are shared.
func testNotes(r record.Record, shared []string) []string {
	out := slices.DeleteFunc(slices.Clone(r.Footnotes), func(n string) bool { return slices.Contains(shared, n) })
	if r.Failed() {
		out = append(out, "the latency test failed: "+r.Error)
	}
	return out
}

// time is what a latency test measured, with its footnotes; nothing where
// there is none.
func (in Input) time(d DatasetHead, m ModelHead, shared []string, n *table.Table) (table.Entry, error) {
	r, ok := in.timed(d, m)
	if !ok {
		return table.Entry{}, nil
	}
	e := table.Entry{Notes: n.Note(testNotes(r, shared)...)}
	if r.Failed() {
		return e, nil
	}
	t, err := in.headline(r)
	if err != nil {
		return table.Entry{}, err
	}
	e.Value = seconds(t)
	return e, nil
}

// headline reads the times of a test's first batch size.
func (in Input) headline(r record.Record) (times, error) {
	all, err := latencyTimes(in.Store, r)
	if err != nil {
		return times{}, err
	}
	return all[0], nil
}

// speedsTable is the time of the latency test, datasets x models.
func speedsTable(in Input, r request) (Output, error) {
	l := r.layout(in.Latency)
	l.Datasets = withoutDifferences(l.Datasets)
	if len(l.Models) == 0 || len(in.Timed) == 0 {
		return Output{}, nil
	}
	b := speedsBuilder{in: in, layout: l}
	t := newTable(l, r)
	t.Columns = []table.Column{{Head: "dataset"}, {Head: "batches x events"}}
	for _, m := range l.Models {
		t.Columns = append(t.Columns,
			table.Column{Kind: table.Measured, Group: m.Title, Metric: "seconds", Head: "seconds"},
			table.Column{Kind: table.Published, Group: m.Title, Metric: "latency", Head: paperHead + " s"})
	}
	var rows []table.Row
	for _, d := range l.Datasets {
		row, err := b.row(d)
		if err != nil {
			return Output{}, err
		}
		rows = append(rows, row)
	}
	t.Blocks, t.Notes = [][]table.Row{rows}, b.notes.Notes
	t.Legend = []string{"±: standard deviation over iterations (n-1)", "paper: 200 batches of 200 events on an RTX 2080 Ti, with layers of the sizes that a search chose", table.NoValue + ": no value"}
	return Output{Tables: []table.Table{t}}, nil
}

type speedsBuilder struct {
	in     Input
	layout Layout
	notes  table.Table
}

// row is a dataset with the times of all models.
func (b *speedsBuilder) row(d DatasetHead) (table.Row, error) {
	shared := b.in.sharedTestNotes(d, b.layout.Models)
	row := table.Row{{Text: d.Title, Notes: b.notes.Note(shared...)}, {Text: table.NoValue}}
	if d.PaperOnly {
		row[0].Notes = b.notes.Note(unmeasuredNote(d))
	}
	for _, m := range b.layout.Models {
		ours, err := b.in.time(d, m, shared, &b.notes)
		if err != nil {
			return nil, err
		}
		paper := d.PaperName
		if r, ok := b.in.timed(d, m); ok && !r.Failed() {
			first := r.Latency.Timings[0]
			row[1].Text, paper = fmt.Sprintf("%d x %d", first.Batches, first.Batch), r.PaperName
		}
		row = append(row, ours, paperTime(m, paper, &b.notes))
	}
	return row, nil
}

// seconds is a headline as an entry's value.
func seconds(t times) *table.Value {
	return &table.Value{Mean: optional.Number(t.mean()), Std: optional.Number(t.std()), Low: optional.Absent(), High: optional.Absent(), Decimals: 4}
}
