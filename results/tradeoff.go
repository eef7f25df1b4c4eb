package results

import (
	"slices"
	"strings"

	"dgsbench/protocol"
	"dgsbench/results/figure"
	"dgsbench/results/table"
)

// tradeOff is the table and the figure of AUC against the time of the latency
// test: of every dataset for which there are both, here or in the paper.
func tradeOff(in Input, r request) (Output, error) {
	l := r.layout(in.Classification)
	l.Datasets = withoutDifferences(l.Datasets)
	if len(l.Models) == 0 {
		return Output{}, nil
	}
	l.Settings = []protocol.Setting{""}
	cells, err := newBuilder(in.Cells, l, protocol.NodeClassification, "auc")
	if err != nil {
		return Output{}, err
	}
	b := tradeOffBuilder{builder: cells, in: in}
	if err := b.read(); err != nil || len(b.panels) == 0 {
		return Output{}, err
	}
	t := b.table(newTable(l, r))
	f, err := figure.Draw(b.panels)
	f.Name, f.Title = t.Name, t.Title
	f.Caption = "AUC against the seconds of the latency test, with the deviations of both. Filled: measured here; hollow: the paper's " +
		"numbers (RTX 2080 Ti), where it gives them. Made by: " + l.Command
	return Output{Tables: []table.Table{t}, Figures: []figure.Figure{f}}, err
}

// tradeOffBuilder gathers what is known of models on datasets.
type tradeOffBuilder struct {
	*builder
	in     Input
	panels []figure.Panel
	drawn  []DatasetHead               // of the panels
	rows   map[ModelHead][]table.Entry // four entries a panel
}

// read fills the panels, and leaves out datasets without a point.
func (b *tradeOffBuilder) read() error {
	b.rows = map[ModelHead][]table.Entry{}
	for _, d := range b.Datasets {
		p := figure.Panel{Title: b.panelTitle(d), X: "seconds", Y: "AUC %"}
		row := map[ModelHead][]table.Entry{}
		for i, m := range b.Models {
			entries, err := b.entries(d, m)
			if err != nil {
				return err
			}
			row[m] = entries
			p.Points = append(p.Points, points(i, m.Title, entries)...)
		}
		if len(p.Points) == 0 {
			continue
		}
		b.panels, b.drawn = append(b.panels, p), append(b.drawn, d)
		for m, entries := range row {
			b.rows[m] = append(b.rows[m], entries...)
		}
	}
	return nil
}

// points are our AUC over our time and the paper's over the paper's, where
// both are known.
func points(model int, title string, entries []table.Entry) []figure.Point {
	var out []figure.Point
	add := func(label string, hollow bool, auc, time *table.Value) {
		if auc != nil && time != nil {
			out = append(out, figure.Point{
				Series: model, Label: label, Hollow: hollow,
				X: figure.Value{Mean: float64(time.Mean), Std: time.Std}, Y: figure.Value{Mean: float64(auc.Mean), Std: auc.Std},
			})
		}
	}
	if entries[0].Ranked() { // a drawing has no footnotes
		add(title, false, entries[0].Value, entries[2].Value)
	}
	add(title+", paper", true, entries[1].Value, entries[3].Value)
	return out
}

// panelTitle says of simulated data that it is: a figure has no footnotes.
func (b *tradeOffBuilder) panelTitle(d DatasetHead) string {
	simulated := func(note string) bool { return strings.HasPrefix(note, "simulated data") }
	if slices.ContainsFunc(b.datasetNotes(d), simulated) || slices.ContainsFunc(b.in.sharedTestNotes(d, b.Models), simulated) {
		return d.Title + ", simulated"
	}
	return d.Title
}

// entries are AUC and time, each ours and the paper's.
func (b *tradeOffBuilder) entries(d DatasetHead, m ModelHead) ([]table.Entry, error) {
	out := make([]table.Entry, 4)
	out[0] = b.measured(d, "", m, b.metrics[0], true)
	var err error
	if out[2], err = b.in.time(d, m, b.in.sharedTestNotes(d, b.Models), &b.notes); err != nil {
		return nil, err
	}
	if d.PaperName != "" {
		out[1] = paperEntry(protocol.NodeClassification, "", m, d.PaperName, b.metrics[0].Name, 1)
		out[3] = paperTime(m, d.PaperName, &b.notes)
	}
	return out, nil
}

// table has the models of which some time is known.
func (b *tradeOffBuilder) table(t table.Table) table.Table {
	t.Columns = []table.Column{{Head: "model"}}
	var shown []bool // of every entry of a row
	for _, d := range b.drawn {
		auc, paper := b.metrics[0].Title, b.paperNotes(d)
		columns := []table.Column{
			{Kind: table.Measured, Metric: auc, Head: auc + " %", Notes: b.notes.Refer(b.datasetNotes(d)...)},
			{Kind: table.Published, Metric: auc, Head: paperHead + " %", Notes: paper},
			{Kind: table.Measured, Metric: "seconds", Head: "seconds", Notes: b.notes.Refer(b.in.sharedTestNotes(d, b.Models)...)},
			{Kind: table.Published, Metric: "latency", Head: paperHead + " s", Notes: paper},
		}
		for _, c := range columns {
			shown = append(shown, c.Kind == table.Measured || d.PaperName != "")
			if shown[len(shown)-1] {
				c.Group = d.Title
				t.Columns = append(t.Columns, c)
			}
		}
	}
	var rows []table.Row
	for _, m := range b.Models {
		if row := b.row(m, shown); row != nil {
			rows = append(rows, row)
		}
	}
	t.Blocks, t.Notes = [][]table.Row{rows}, b.notes.Texts
	t.Legend = []string{
		"seconds: of the latency test, ± over its iterations", "drawn in " + t.Name + ".svg and .png, which bench all leaves beside the records of a whole suite",
		table.NoValue + ": no value",
	}
	return t
}

// row is nil for a model of which no time is known.
func (b *tradeOffBuilder) row(m ModelHead, shown []bool) table.Row {
	row := table.Row{{Text: m.Title}}
	known := false
	for i, e := range b.rows[m] {
		if shown[i] {
			row = append(row, e)
		}
		time := i%4 >= 2
		known = known || time && (e.Value != nil || len(e.Notes) > 0)
	}
	if !known {
		return nil
	}
	return row
}
