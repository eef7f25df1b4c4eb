package results

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"dgsbench/results/record"
	"dgsbench/results/table"
)

// statistic is a row of the table of datasets.
type statistic struct {
	name  string // as in reference/tables.yaml
	title string
	of    func(record.Data) string
}

var statistics = []statistic{
	{"nodes", "nodes", func(d record.Data) string { return thousands(d.Nodes) }},
	{"", "of them users", func(d record.Data) string {
		if d.Users == 0 {
			return "not bipartite"
		}
		return thousands(d.Users)
	}},
	{"events", "events", func(d record.Data) string { return thousands(d.Events) }},
	{"", "features of an event", func(d record.Data) string { return thousands(d.Features) }},
	{"labels", "label", func(record.Data) string { return "see the note" }},
	{"", "labelled events", func(d record.Data) string { return thousands(d.Labelled) }},
	{"", "positive labels", func(d record.Data) string { return thousands(d.Positives) }},
	{"positives", "positive labels, share", func(d record.Data) string { return percentage(d.Positives, d.Labelled, 2) }},
	{"duration", "duration", func(d record.Data) string { return fmt.Sprintf("%s days", fixed(d.Duration/86_400, 1)) }},
	{"split", "used split, % of events", func(d record.Data) string {
		return eachPart(d, "-", func(p record.DataPart) string { return fixed(100*share(p.Events, d.Events), 0) })
	}},
	{"", "events of the parts", func(d record.Data) string {
		return eachPart(d, " / ", func(p record.DataPart) string { return thousands(p.Events) })
	}},
	{"", "positives of the parts", func(d record.Data) string {
		return eachPart(d, " / ", func(p record.DataPart) string { return thousands(p.Positives) })
	}},
}

// eachPart says the same of training, validation and test.
func eachPart(d record.Data, between string, say func(record.DataPart) string) string {
	var texts []string
	for _, p := range d.Parts {
		texts = append(texts, say(p))
	}
	return strings.Join(texts, between)
}

// share is part / whole, 0 where there is nothing.
func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// percentage is a share in per cent; it does not exist of nothing.
func percentage(part, whole, decimals int) string {
	if whole == 0 {
		return table.NoValue
	}
	scale := math.Pow10(decimals)
	return fixed(math.Round(100*share(part, whole)*scale)/scale, decimals) + "%"
}

// datasetsTable are the sizes of the suite's datasets and of the paper's.
func datasetsTable(in Input, r request) (Output, error) {
	l := r.layout(in.everything())
	if len(l.Datasets) == 0 {
		return Output{}, nil
	}
	b := statisticsBuilder{in: in}
	t := newTable(l, r)
	t.Columns = []table.Column{{Head: "dataset"}}
	for _, d := range l.Datasets {
		b.addColumns(&t, d)
	}
	var rows []table.Row
	for _, s := range statistics {
		rows = append(rows, b.row(s))
	}
	t.Blocks, t.Notes = [][]table.Row{rows}, b.notes.Notes
	t.Legend = []string{"parts: training / validation / test", table.NoValue + ": no value"}
	return Output{Tables: []table.Table{t}}, nil
}

// everything is a layout with all datasets, each once.
func (in Input) everything() Layout {
	l := in.Classification
	if len(l.Datasets) == 0 {
		l = in.Links
	}
	if len(l.Datasets) == 0 {
		l = in.Latency
	}
	l.Datasets = nil
	for _, d := range slices.Concat(in.Classification.Datasets, in.Links.Datasets, in.Latency.Datasets) {
		if !slices.ContainsFunc(l.Datasets, func(have DatasetHead) bool { return have.ID == d.ID }) {
			d.Title, d.Case = d.ID, ""
			l.Datasets = append(l.Datasets, d)
		}
	}
	return l
}

// statisticsBuilder makes the table of datasets.
type statisticsBuilder struct {
	in      Input
	notes   table.Table
	columns []statisticsColumn // after the first
}

// statisticsColumn has our sizes of a dataset, nil where no record tells, or
// the paper's words.
type statisticsColumn struct {
	data  *record.Data
	words map[string]string
}

func (b *statisticsBuilder) addColumns(t *table.Table, d DatasetHead) {
	words := defined().Statistics[defined().dataset(d.PaperName).Name]
	head := table.Column{Group: d.Title, Head: "here"}
	var ours statisticsColumn
	if d.PaperOnly {
		head.Notes = b.notes.Note(unmeasuredNote(d))
	} else if i := slices.IndexFunc(b.in.all(), func(r record.Record) bool { return r.Key.Dataset == d.ID && r.Data != nil }); i >= 0 {
		first := b.in.all()[i]
		ours.data = first.Data
		head.Notes = b.notes.Note(append([]string{first.DatasetTitle}, first.Footnotes...)...)
	}
	t.Columns, b.columns = append(t.Columns, head), append(b.columns, ours)
	if words == nil {
		return
	}
	about := b.notes.Note(defined().dataset(d.PaperName).Statistics)
	t.Columns = append(t.Columns, table.Column{Group: d.Title, Head: paperHead, Notes: about})
	b.columns = append(b.columns, statisticsColumn{words: words})
}

// all are the records of scored trials and latency tests.
func (in Input) all() []record.Record { return slices.Concat(in.Records, in.Timed) }

func (b *statisticsBuilder) row(s statistic) table.Row {
	row := table.Row{{Text: s.title}}
	for _, c := range b.columns {
		text := table.NoValue
		switch {
		case c.words != nil && c.words[s.name] != "":
			text = c.words[s.name]
		case c.data != nil:
			text = s.of(*c.data)
		}
		row = append(row, table.Entry{Text: text})
	}
	return row
}
