package results

import (
	"fmt"
	"slices"
	"strings"

	"dgsbench/protocol"
	"dgsbench/results/figure"
	"dgsbench/results/table"
)

// tradeOff returns the table and the figure of the headline metric of node
// classification against the time of the latency test: of every dataset for
// which there are both, here or in the paper.
func tradeOff(r request) (Output, error) {
	l := r.layout(r.Classification).withoutDifferences()
	l.Settings = []protocol.Setting{""}
	s, err := newScores(r, l, protocol.NodeClassification)
	if err != nil {
		return Output{}, err
	}
	s.add(table.Column{Head: "model"}, func(at scoreRow) table.Entry { return table.Entry{Text: at.model.Title} })
	t := tradeOffs{scores: s}
	var panels []figure.Panel
	for _, d := range l.Datasets {
		p := t.addDataset(d)
		if slices.ContainsFunc(p.Series, func(s figure.Series) bool { return s.Mark == figure.Dot }) { // something was measured here
			panels = append(panels, p)
		}
	}
	if len(t.times) == 0 {
		return Output{}, nil
	}
	s.addBlock(slices.DeleteFunc(s.all(""), func(at scoreRow) bool {
		return !slices.ContainsFunc(t.times, func(time func(scoreRow) table.Entry) bool {
			e := time(at)
			return e.Value != nil || len(e.Notes) > 0
		})
	})...)
	s.Legend = []string{"seconds: of the latency test, ± over its iterations"}
	caption := s.metrics[0].Title + " against the seconds of the latency test, with the deviations of both. Filled: measured here; " +
		"hollow: the paper's numbers (RTX 2080 Ti), where it gives them"
	out, err := s.withFigure(s.Table, pageWidth/2, panels, caption)
	out.Tables[0].Legend = append(out.Tables[0].Legend, noValueLegend)
	return out, err
}

// tradeOffs are the metrics and times of models.
type tradeOffs struct {
	*scores
	times []func(scoreRow) table.Entry // entries of the columns of seconds
}

// addDataset draws a dataset and adds its columns, unless nothing is drawn.
func (t *tradeOffs) addDataset(d DatasetHead) figure.Panel {
	metric, shared := t.metrics[0], t.sharedTestNotes(d, t.Models)
	ours := func(at scoreRow) table.Entry { return t.measured(d, at, metric, true) }
	paper := func(at scoreRow) table.Entry {
		return paperEntry(protocol.NodeClassification, at, d.PaperName, metric.Name, 1)
	}
	seconds := func(at scoreRow) table.Entry { return t.time(d, at.model, t.Models, &t.Table) }
	paperSeconds := func(at scoreRow) table.Entry { return paperTime(at.model, d.PaperName, &t.Table) }
	p := figure.Panel{Group: d.ID, Title: t.panelTitle(d, shared...), X: figure.Axis{Label: "time of the latency test (s)"}, Y: figure.Axis{Label: metric.Title + " (%)"}}
	for _, at := range t.all("") {
		if test, ok := t.test(d, at.model); ok && !test.Failed() {
			headline := test.times[0]
			p.X.Label = fmt.Sprintf("time of %d batches of %s (s)", headline.Batches, Count(headline.Batch, "event"))
			break
		}
	}
	for _, at := range t.all("") {
		if e := ours(at); e.Ranked() {
			t.draw(&p, at.model, at.model.Title, figure.Dot, seconds(at).Value, e.Value)
		}
		t.draw(&p, at.model, at.model.Title+", paper", figure.Ring, paperSeconds(at).Value, paper(at).Value)
	}
	if len(p.Series) == 0 {
		return p
	}
	fitAxes(&p)
	notes := t.Note(t.paperNotes(d)...)
	t.times = append(t.times, seconds, paperSeconds)
	for _, c := range []struct {
		table.Column
		entry func(scoreRow) table.Entry
	}{
		{table.Column{Kind: table.Measured, Metric: metric.Title, Head: metric.Title + " %", Notes: t.Note(t.datasetNotes(d)...)}, ours},
		{table.Column{Kind: table.Published, Metric: metric.Title, Head: paperHead + " %", Notes: notes}, paper},
		{table.Column{Kind: table.Measured, Metric: "seconds", Head: "seconds", Notes: t.Note(shared...)}, seconds},
		{table.Column{Kind: table.Published, Metric: "latency", Head: paperHead + " s", Notes: notes}, paperSeconds},
	} {
		if c.Kind == table.Measured || d.PaperName != "" {
			c.Group = d.Title
			t.add(c.Column, c.entry)
		}
	}
	return p
}

// panelTitle returns the title of a dataset's panel, which says what footnotes say of
// simulated data: a figure has none.
func (s *scores) panelTitle(d DatasetHead, more ...string) string {
	return panelTitle(d, slices.Concat(s.datasetNotes(d), more))
}

func panelTitle(d DatasetHead, notes []string) string {
	simulated := func(note string) bool { return strings.HasPrefix(note, "simulated data") }
	if slices.ContainsFunc(notes, simulated) {
		return d.Title + ", simulated"
	}
	return d.Title
}

// draw adds a point where both values are known.
func (t *tradeOffs) draw(p *figure.Panel, m ModelHead, label string, mark figure.Mark, x, y *table.Value) {
	if x == nil || y == nil {
		return
	}
	point := figure.Point{X: withDeviation(x), Y: withDeviation(y), Label: label}
	p.Series = append(p.Series, figure.Series{Color: t.color(m), Mark: mark, Points: []figure.Point{point}})
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
	room := max(.15*(y.High-y.Low), .5)
	p.Y.Min, p.Y.Max = max(0, y.Low-room), min(100, y.High+room)
	if x.High/x.Low < 3 {
		room := max(.15*(x.High-x.Low), .05*x.High)
		p.X.Min, p.X.Max = x.Low-room, x.High+room
		return
	}
	p.X.Scale, p.X.Min, p.X.Max = figure.Log, x.Low/1.5, x.High*1.5
	p.X.Label += ", logarithmic"
}
