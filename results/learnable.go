package results

import (
	"slices"
	"strconv"

	"dgsbench/protocol"
	"dgsbench/results/record"
	"dgsbench/results/table"
)

// parametersTable is how many parameters the first model learns in its head
// and below it, and how many the others do, by dataset and setting.
func parametersTable(in Input, r request) (Output, error) {
	l := r.layout(in.Links)
	l.Datasets = withoutDifferences(l.Datasets)
	if len(l.Models) == 0 {
		return Output{}, nil
	}
	b := learnable{in: in, layout: l}
	t := newTable(l, r)
	t.Columns = []table.Column{{Head: "parameters"}}
	for _, d := range l.Datasets {
		b.addColumns(&t, d)
	}
	split := l.Models[0]
	rows := []table.Row{
		b.row(split.Title+": head", split, "parameters_head", counted(func(r record.Record) (int, bool) { head, _, ok := r.HeadAndRest(); return head, ok })),
		b.row(split.Title+": below the head", split, "parameters_rest", counted(func(r record.Record) (int, bool) { _, rest, ok := r.HeadAndRest(); return rest, ok })),
	}
	total := counted(func(r record.Record) (int, bool) { return r.NumParams, true })
	for _, m := range l.Models {
		rows = append(rows, b.row(m.Title+": all", m, "parameters", total))
	}
	t.Blocks = [][]table.Row{rows}
	for _, m := range l.Models[1:] {
		t.Blocks = append(t.Blocks, []table.Row{b.row(m.Title+" / "+split.Title, m, "parameters_ratio", b.ratioTo(split))})
	}
	t.Legend = []string{
		"T: transductive, I: inductive", "head: the paper's NN component, below it: its ER component",
		"the paper's models were tuned for each setting, which changes their sizes", table.NoValue + ": no value",
	}
	t.Notes = b.notes.Notes
	return Output{Tables: []table.Table{t}}, nil
}

// learnable makes the table of learned parameters.
type learnable struct {
	in     Input
	layout Layout
	notes  table.Table
	places []learnablePlace // of the columns, after the first
}

type learnablePlace struct {
	dataset DatasetHead
	setting protocol.Setting
	paper   bool
}

func (b *learnable) addColumns(t *table.Table, d DatasetHead) {
	var about []int
	if d.PaperOnly {
		about = b.notes.Note(unmeasuredNote(d))
	}
	for _, setting := range b.layout.Settings {
		t.Columns = append(t.Columns, table.Column{Group: d.Title, Head: string(setting), Notes: about})
		b.places = append(b.places, learnablePlace{d, setting, false})
		if d.PaperName != "" {
			t.Columns = append(t.Columns, table.Column{Group: d.Title, Head: paperHead + " " + string(setting)})
			b.places = append(b.places, learnablePlace{d, setting, true})
		}
	}
}

// quantity is what a row says of a model's record in a place.
type quantity func(p learnablePlace, r record.Record) (string, bool)

// counted is a number of parameters.
func counted(count func(record.Record) (int, bool)) quantity {
	return func(_ learnablePlace, r record.Record) (string, bool) {
		n, ok := count(r)
		return thousands(n), ok
	}
}

// ratioTo is by how much more parameters a model has than another one.
func (b *learnable) ratioTo(other ModelHead) quantity {
	return func(p learnablePlace, r record.Record) (string, bool) {
		base, ok := b.in.scored(p.dataset, p.setting, other)
		if !ok || base.NumParams == 0 {
			return "", false
		}
		return fixed(float64(r.NumParams)/float64(base.NumParams), 1), true
	}
}

func (b *learnable) row(title string, m ModelHead, paper string, of quantity) table.Row {
	row := table.Row{{Text: title}}
	for _, p := range b.places {
		text := table.NoValue
		if p.paper {
			if ref, ok := Paper(protocol.LinkPrediction, p.setting, m.ID, p.dataset.PaperName, paper); ok {
				text = printedCount(ref.Mean)
			}
		} else if r, ok := b.in.scored(p.dataset, p.setting, m); ok {
			if found, ok := of(p, r); ok {
				text = found
			}
		}
		row = append(row, table.Entry{Text: text})
	}
	return row
}

// scored is a record of link prediction, of any seed: all have the same
// sizes.
func (in Input) scored(d DatasetHead, setting protocol.Setting, m ModelHead) (record.Record, bool) {
	i := slices.IndexFunc(in.Records, func(r record.Record) bool {
		k := r.Key
		return !r.Failed() && k.Dataset == d.ID && k.Case == d.Case && k.Task == protocol.LinkPrediction && k.Setting == setting && k.Model == m.ID && k.Variant == m.Variant
	})
	if i < 0 {
		return record.Record{}, false
	}
	return in.Records[i], true
}

// printedCount is a whole number with its thousands apart, or a ratio.
func printedCount(x float64) string {
	if x == float64(int(x)) {
		return thousands(int(x))
	}
	return fixed(x, 1)
}

// thousands is a number as 80,145.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
