package results

import (
	"fmt"
	"slices"
)

// newTable is an empty table about what the layout holds.
func newTable(l Layout, r request) Table {
	return named(Table{Title: l.titled(r.title), Command: l.Command, Source: l.Source}, r.definition.ID)
}

// timed is the latency test of a model on a dataset, if there is one that
// finished.
func (in Input) timed(d DatasetHead, m ModelHead) (Record, bool) {
	i := slices.IndexFunc(in.Timed, func(r Record) bool {
		k := r.Key
		return !r.Failed() && k.Dataset == d.ID && k.Model == m.ID && k.Variant == m.Variant
	})
	if i < 0 {
		return Record{}, false
	}
	return in.Timed[i], true
}

// headline reads the times of a test's first batch size.
func (in Input) headline(r Record) (times, error) {
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
	t.Columns = []Column{{Head: "dataset"}, {Head: "batches x events"}}
	for _, m := range l.Models {
		t.Columns = append(t.Columns,
			Column{Kind: Measured, Group: m.Title, Metric: "seconds", Head: "seconds"},
			Column{Kind: Published, Group: m.Title, Metric: "seconds", Head: paperHead + " s"})
	}
	var rows []TableRow
	for _, d := range l.Datasets {
		row, err := b.row(d)
		if err != nil {
			return Output{}, err
		}
		rows = append(rows, row)
	}
	t.Blocks, t.Notes = [][]TableRow{rows}, b.notes.texts
	t.Legend = []string{"±: standard deviation over iterations (n-1)", "paper: 200 batches of 200 events on an RTX 2080 Ti", noValue + ": no value"}
	return Output{Tables: []Table{t}}, nil
}

type speedsBuilder struct {
	in     Input
	layout Layout
	notes  notes
}

// row is a dataset with the times of all models.
func (b *speedsBuilder) row(d DatasetHead) (TableRow, error) {
	size, paper := noValue, d.PaperName
	var texts []string
	if d.PaperOnly {
		texts = append(texts, unmeasuredNote(d))
	}
	row := TableRow{{Text: d.Title}, {}}
	for _, m := range b.layout.Models {
		record, ok := b.in.timed(d, m)
		ours := Entry{}
		if ok {
			t, err := b.in.headline(record)
			if err != nil {
				return nil, err
			}
			ours.Value = seconds(t)
			size, paper, texts = fmt.Sprintf("%d x %d", t.Batches, t.Batch), record.PaperName, record.Footnotes
		}
		row = append(row, ours, paperTime(m, paper, &b.notes))
	}
	row[0].Notes, row[1].Text = b.notes.refer(texts...), size
	return row, nil
}

// seconds is a headline as an entry's value.
func seconds(t times) *Value {
	return &Value{Mean: Number(t.mean()), Std: Number(t.std()), Low: Absent(), High: Absent(), Decimals: 4}
}
