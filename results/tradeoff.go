package results

import (
	"math"
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
	f, err := figure.Draw(figure.Size{Width: 13, Height: 9}, 2, b.panels)
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
	colors := map[ModelHead]int{} // a model has one in all panels
	for _, d := range b.Datasets {
		p := figure.Panel{Title: b.panelTitle(d), X: figure.Axis{Label: "seconds"}, Y: figure.Axis{Label: "AUC %"}}
		row := map[ModelHead][]table.Entry{}
		for _, m := range b.Models {
			entries, err := b.entries(d, m)
			if err != nil {
				return err
			}
			row[m] = entries
			drawn := points(m.Title, entries)
			for i := range drawn {
				if _, ok := colors[m]; !ok {
					colors[m] = len(colors)
				}
				drawn[i].Color = colors[m]
			}
			p.Series = append(p.Series, drawn...)
		}
		if len(p.Series) == 0 {
			continue
		}
		fitAxes(&p)
		b.panels, b.drawn = append(b.panels, p), append(b.drawn, d)
		for m, entries := range row {
			b.rows[m] = append(b.rows[m], entries...)
		}
	}
	return nil
}

// points are our AUC over our time and the paper's over the paper's, where
// both are known.
func points(title string, entries []table.Entry) []figure.Series {
	var out []figure.Series
	add := func(label string, mark figure.Mark, auc, time *table.Value) {
		if auc != nil && time != nil {
			out = append(out, figure.Series{Mark: mark, Points: []figure.Point{{X: deviating(time), Y: deviating(auc), Label: label}}})
		}
	}
	if entries[0].Ranked() { // a drawing has no footnotes
		add(title, figure.Dot, entries[0].Value, entries[2].Value)
	}
	add(title+", paper", figure.Ring, entries[1].Value, entries[3].Value)
	return out
}

// deviating is a mean with its deviation. It stays above zero, which a
// logarithmic axis does not have.
func deviating(v *table.Value) figure.Value {
	out := figure.Exact(float64(v.Mean))
	if v.Std.Present() {
		out.Low, out.High = out.Mean-min(float64(v.Std), .9*out.Mean), out.Mean+float64(v.Std)
	}
	return out
}

// fitAxes leaves room for labels. Times far apart want a logarithmic axis.
func fitAxes(p *figure.Panel) {
	x, y := figure.Value{Low: math.Inf(1)}, figure.Value{Low: math.Inf(1)}
	for _, s := range p.Series {
		at := s.Points[0]
		x.Low, x.High = min(x.Low, at.X.Low), max(x.High, at.X.High)
		y.Low, y.High = min(y.Low, at.Y.Low), max(y.High, at.Y.High)
	}
	const step = 5 // of an axis in per cent
	p.Y.Min, p.Y.Max = step*math.Floor((y.Low-1)/step), step*math.Ceil((y.High+1)/step)
	if x.High/x.Low < 3 {
		room := max(.15*(x.High-x.Low), .05*x.High)
		p.X.Min, p.X.Max = x.Low-room, x.High+room
		return
	}
	p.X.Scale, p.X.Min, p.X.Max = figure.Log, x.Low/1.5, x.High*1.5
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
			{Kind: table.Measured, Metric: auc, Head: auc + " %", Notes: b.notes.Note(b.datasetNotes(d)...)},
			{Kind: table.Published, Metric: auc, Head: paperHead + " %", Notes: paper},
			{Kind: table.Measured, Metric: "seconds", Head: "seconds", Notes: b.notes.Note(b.in.sharedTestNotes(d, b.Models)...)},
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
	t.Blocks, t.Notes = [][]table.Row{rows}, b.notes.Notes
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
