package results

import (
	"math"
	"slices"
	"strings"

	"dgsbench/protocol"
	"dgsbench/results/figure"
	"dgsbench/results/table"
)

// tradeOff returns the table and the figure of the headline metric of node
// classification against the time of the latency test: of every dataset for
// which there are both, here or in the paper.
func tradeOff(in Input, r request) (Output, error) {
	l := r.layout(in.Classification).withoutDifferences()
	if len(l.Models) == 0 {
		return Output{}, nil
	}
	l.Settings = []protocol.Setting{""}
	s, err := newScores(in.Cells, l, protocol.NodeClassification)
	if err != nil {
		return Output{}, err
	}
	s.table = r.table(l, "model")
	b := tradeOffs{scores: s, in: in, rows: map[ModelHead]table.Row{}, known: map[ModelHead]bool{}, colors: map[ModelHead]int{}}
	var panels []figure.Panel
	for _, d := range l.Datasets {
		p, err := b.add(d)
		if err != nil {
			return Output{}, err
		}
		if len(p.Series) > 0 {
			panels = append(panels, p)
		}
	}
	if len(panels) == 0 {
		return Output{}, nil
	}
	t := &s.table
	for _, m := range l.Models {
		if b.known[m] {
			t.AddRow(append(table.Row{{Text: m.Title}}, b.rows[m]...))
		}
	}
	t.Legend = []string{
		"seconds: of the latency test, ± over its iterations",
		"drawn in " + t.Name + ".svg and .png, which bench all leaves beside the records of a whole suite",
		noValueLegend,
	}
	f, err := figure.Draw(figure.Size{Width: 13, Height: 9}, 2, panels)
	f.Name, f.Title = t.Name, t.Title
	f.Caption = s.metrics[0].Title + " against the seconds of the latency test, with the deviations of both. " +
		"Filled: measured here; hollow: the paper's numbers (RTX 2080 Ti), where it gives them. Made by: " + l.Command
	return Output{Tables: []table.Table{*t}, Figures: []figure.Figure{f}}, err
}

// tradeOffs are the metrics and times of models.
type tradeOffs struct {
	*scores
	in     Input
	rows   map[ModelHead]table.Row // the entries after the title
	known  map[ModelHead]bool      // models of which some time is known
	colors map[ModelHead]int       // the same in all panels
}

// add adds the columns of a dataset, unless nothing is drawn of it.
func (b *tradeOffs) add(d DatasetHead) (figure.Panel, error) {
	shared := b.in.sharedTestNotes(d, b.Models)
	metric := b.metrics[0]
	p := figure.Panel{Title: d.Title, X: figure.Axis{Label: "seconds"}, Y: figure.Axis{Label: metric.Title + " %"}}
	simulated := func(note string) bool { return strings.HasPrefix(note, "simulated data") }
	if slices.ContainsFunc(slices.Concat(b.datasetNotes(d), shared), simulated) { // a figure has no footnotes
		p.Title += ", simulated"
	}
	rows := map[ModelHead]table.Row{}
	for _, m := range b.Models {
		ours := b.measured(d, "", m, metric, true)
		time, err := b.in.time(d, m, shared, &b.table)
		if err != nil {
			return p, err
		}
		var paper, paperSeconds table.Entry
		rows[m] = table.Row{ours, time}
		if d.PaperName != "" {
			paper = paperEntry(protocol.NodeClassification, "", m, d.PaperName, metric.Name, 1)
			paperSeconds = paperTime(m, d.PaperName, &b.table)
			rows[m] = table.Row{ours, paper, time, paperSeconds}
		}
		if ours.Ranked() {
			b.draw(&p, m, m.Title, figure.Dot, time.Value, ours.Value)
		}
		b.draw(&p, m, m.Title+", paper", figure.Ring, paperSeconds.Value, paper.Value)
	}
	if len(p.Series) == 0 {
		return p, nil
	}
	fitAxes(&p)
	paper := b.table.Note(b.paperNotes(d)...)
	for _, c := range []table.Column{
		{Kind: table.Measured, Metric: metric.Title, Head: metric.Title + " %", Notes: b.table.Note(b.datasetNotes(d)...)},
		{Kind: table.Published, Metric: metric.Title, Head: paperHead + " %", Notes: paper},
		{Kind: table.Measured, Metric: "seconds", Head: "seconds", Notes: b.table.Note(shared...)},
		{Kind: table.Published, Metric: "latency", Head: paperHead + " s", Notes: paper},
	} {
		if c.Kind == table.Measured || d.PaperName != "" {
			c.Group = d.Title
			b.table.Columns = append(b.table.Columns, c)
		}
	}
	for m, row := range rows {
		for _, e := range row[len(row)/2:] {
			b.known[m] = b.known[m] || e.Value != nil || len(e.Notes) > 0
		}
		b.rows[m] = append(b.rows[m], row...)
	}
	return p, nil
}

// draw adds a point where both values are known.
func (b *tradeOffs) draw(p *figure.Panel, m ModelHead, label string, mark figure.Mark, x, y *table.Value) {
	if x == nil || y == nil {
		return
	}
	if _, ok := b.colors[m]; !ok {
		b.colors[m] = len(b.colors)
	}
	point := figure.Point{X: withDeviation(x), Y: withDeviation(y), Label: label}
	p.Series = append(p.Series, figure.Series{Color: b.colors[m], Mark: mark, Points: []figure.Point{point}})
}

// withDeviation returns a mean with its deviation. It stays above zero, which a
// logarithmic axis does not have.
func withDeviation(v *table.Value) figure.Value {
	out := figure.Exact(float64(v.Mean))
	if v.Std.Present() {
		out.Low, out.High = out.Mean-min(float64(v.Std), .9*out.Mean), out.Mean+float64(v.Std)
	}
	return out
}

// fitAxes leaves room for labels. Times far apart get a logarithmic axis.
func fitAxes(p *figure.Panel) {
	x, y := p.Series[0].Points[0].X, p.Series[0].Points[0].Y
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
