package results

import (
	"fmt"
	"slices"

	"dgsbench/internal/lists"
	"dgsbench/metrics"
	"dgsbench/protocol"
	"dgsbench/results/figure"
	"dgsbench/results/record"
	"dgsbench/results/table"
)

// curve is a kind of table and figure: a metric of node classification at
// several rates, in per cent. The table has some of them, with intervals, and
// the figure those between, too: means over seeds.
type curve struct {
	line          func(f metrics.Facts, rates []float64) []float64 // values at rates in per cent
	before, after string                                           // the rate in the metric's name
	rates         []float64
	x, y          string
	logarithmic   bool                                         // a second panel has such an axis
	chance        func(positives float64) (at0, at100 float64) // of random scores, by the share of positives, all in per cent
	caption       string
}

var roc = curve{
	line: metrics.ROC, before: "recall@", after: "%fpr", rates: []float64{.1, 1, 10, 50},
	x: "false positive rate (% of negatives)", y: "recall (% of positives)", logarithmic: true,
	chance:  func(float64) (at0, at100 float64) { return 0, 100 },
	caption: "Share of positives above a threshold against the share of negatives above it; on the right the same with a logarithmic axis",
}

var pr = curve{
	line: metrics.PrecisionRecall, before: "precision@", after: "%recall", rates: []float64{10, 25, 50, 75, 90},
	x: "recall (% of positives)", y: "precision (% of the events above the threshold)",
	chance:  func(positives float64) (at0, at100 float64) { return positives, positives },
	caption: "Share of positives among the events above a threshold against the share of all positives that are above it",
}

// metrics returns the names of those in the table.
func (c curve) metrics(record.Record) []string { return lists.Map(c.rates, c.name) }

func (c curve) name(rate float64) string { return metrics.Name(c.before, rate, c.after) }

// newCurves returns the scores of node classification that a table about points of
// curves is made of.
func newCurves(r request, names []string) (*scores, error) {
	l := r.layout(r.Classification).withoutDifferences()
	l.Settings = []protocol.Setting{""}
	r.Title += ", test events"
	s, err := newScores(r, l, protocol.NodeClassification, names...)
	if err == nil {
		s.curve = true
	}
	return s, err
}

// empty reports whether no cell has a row of any of the metrics.
func (s *scores) empty() bool {
	for _, d := range s.Datasets {
		for _, at := range s.all(s.Settings...) {
			for _, m := range s.metrics {
				if _, ok := s.cell(d, at).testRow(d, m.Name); ok {
					return false
				}
			}
		}
	}
	return true
}

// output makes the table and the figure.
func (c curve) output(r request) (Output, error) {
	s, err := newCurves(r, c.metrics(record.Record{}))
	if err != nil || s.empty() {
		return Output{}, err
	}
	var panels []figure.Panel
	for _, d := range s.Datasets {
		some, err := c.panels(s, d)
		if err != nil {
			return Output{}, err
		}
		panels = append(panels, some...)
	}
	return s.withFigure(s.build(), pageWidth/2, panels, c.caption)
}

// intervalLegend explains the intervals of a table, if it has any.
func intervalLegend(t table.Table) []string {
	for _, row := range slices.Concat(t.Blocks...) {
		if slices.ContainsFunc(row, func(e table.Entry) bool { return e.Value != nil && e.Value.Low.Present() }) {
			return []string{fmt.Sprintf("[low, high]: 95%% interval, events resampled %d times", metrics.NumDraws)}
		}
	}
	return nil
}

// withFigure returns the table with the figure of the panels, of a width in
// centimetres, if there are any.
func (s *scores) withFigure(t table.Table, width float64, panels []figure.Panel, caption string) (Output, error) {
	out := Output{Tables: []table.Table{t}}
	if len(panels) == 0 {
		return out, nil
	}
	out.Tables[0].Legend = append(t.Legend, DrawnIn+t.Name+".svg and .png, which bench all leaves beside the records of a whole suite")
	f, err := figure.Draw(figure.Size{Width: width, Height: 10}, int(pageWidth/width), panels)
	f.Name, f.Title, f.Caption = t.Name, t.Title, caption+". Means over seeds. Made by: "+t.Command
	out.Figures = []figure.Figure{f}
	return out, err
}

// DrawnIn begins the line of a legend that names the files of a figure.
const DrawnIn = "drawn in "

// pageWidth is that of a figure, in centimetres.
const pageWidth = 26.0

// panels draws the curves of a dataset; none where no model has a value.
func (c curve) panels(s *scores, d DatasetHead) ([]figure.Panel, error) {
	p := figure.Panel{
		Group: d.ID, Title: s.panelTitle(d), X: figure.Axis{Label: c.x, Min: 0, Max: 100}, Y: figure.Axis{Label: c.y, Min: 0, Max: 100},
	}
	rows := lists.Filter(s.all(""), func(at scoreRow) bool {
		r, ok := s.cell(d, at).testRow(d, c.name(c.rates[0]))
		return ok && r.Mean.Present() && !r.Degenerate
	})
	p.Series = make([]figure.Series, len(rows))
	positives := make([]float64, len(rows))
	err := lists.Parallel(len(rows), func(i int) error {
		facts, err := s.testFacts(s.cell(d, rows[i]))
		if err != nil {
			return err
		}
		positives[i] = 100 * float64(facts[0].Positives()) / float64(facts[0].Positives()+facts[0].Negatives())
		p.Series[i] = s.lineOf(rows[i].model, c.points(facts))
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(p.Series) == 0 {
		return nil, nil
	}
	chance := figure.Series{Name: "chance", Color: figure.Grey, Line: figure.Dashed}
	at0, at100 := c.chance(positives[0])
	for _, pt := range p.Series[0].Points {
		chance.Points = append(chance.Points, figure.At(pt.X.Mean, at0+(at100-at0)*pt.X.Mean/100))
	}
	p.Series = append(p.Series, chance)
	out := []figure.Panel{p}
	if c.logarithmic {
		near := p
		near.X.Min, near.X.Scale, near.Series = logFrom, figure.Log, nil
		near.X.Label += ", logarithmic"
		for _, s := range p.Series {
			s.Points = slices.DeleteFunc(slices.Clone(s.Points), func(pt figure.Point) bool { return pt.X.Mean < logFrom })
			near.Series = append(near.Series, s)
		}
		out = append(out, near)
	}
	return out, nil
}

// logFrom is where a logarithmic axis of rates begins, in per cent.
const logFrom = .05

// lineOf returns the line of a model.
func (in Input) lineOf(m ModelHead, points []figure.Point) figure.Series {
	return figure.Series{Name: m.Title, Color: in.color(m), Line: figure.Solid, Points: points}
}

// color returns the number of a model's colour, the same in all figures: its place
// in the suite, learned models first, and of these the ones that are timed.
func (in Input) color(m ModelHead) int {
	var learned, others []string
	for _, one := range slices.Concat(in.Latency.Models, in.Classification.Models, in.Links.Models, in.Live.Models) {
		if one.Class == protocol.Learned {
			learned = appendNew(learned, one.ref())
		} else {
			others = appendNew(others, one.ref())
		}
	}
	return slices.Index(append(learned, others...), m.ref())
}

// points returns the mean of the curves of all seeds.
func (c curve) points(facts []metrics.Facts) []figure.Point {
	var rates []float64
	for rate := 1.0; rate <= 100; rate++ {
		rates = append(rates, rate)
	}
	if c.logarithmic {
		rates = append(rates, 0)
		for rate := logFrom; rate < 10; rate *= 1.15 {
			rates = append(rates, rate)
		}
	}
	slices.Sort(rates)
	rates = slices.Compact(rates)
	points := lists.Map(rates, func(rate float64) figure.Point { return figure.At(rate, 0) })
	for _, f := range facts {
		for i, value := range c.line(f, rates) {
			points[i] = figure.At(rates[i], points[i].Y.Mean+100*value/float64(len(facts)))
		}
	}
	return points
}

// testFacts returns the facts of the test part of each seed of a cell, sorted.
func (in Input) testFacts(c *Cell) (facts []metrics.Facts, err error) {
	for _, r := range c.records {
		if r.Failed() {
			continue
		}
		observed, err := in.Store.Facts(r)
		if err != nil {
			return nil, err
		}
		facts = append(facts, observed[record.Part{Split: protocol.Test, Evaluation: c.evaluation}].Sorted())
	}
	return facts, nil
}

// point returns a model's value of a metric as an entry without the footnotes of
// its cell, which are those of every point of a curve.
func (s *scores) point(d DatasetHead, at scoreRow, metric string) table.Entry {
	r, ok := s.cell(d, at).testRow(d, metric)
	if !ok || !r.Mean.Present() {
		return table.Entry{}
	}
	e := table.Entry{Value: percentOf(r), Unranked: r.Degenerate}
	if r.Degenerate {
		e.Notes = s.Note(r.Caveat + ": the value is uninformative")
	}
	return e
}

// percentOf returns a row's value in per cent.
func percentOf(r Row) *table.Value {
	return &table.Value{Mean: 100 * r.Mean, Std: 100 * r.Std, Low: 100 * r.CILow, High: 100 * r.CIHigh, Decimals: 2}
}

// asPoint returns an entry as a point of a figure; false for one without a value
// or that says nothing.
func asPoint(x float64, e table.Entry) (figure.Point, bool) {
	if !e.Ranked() {
		return figure.Point{}, false
	}
	y := figure.Exact(float64(e.Value.Mean))
	if e.Value.Low.Present() {
		y.Low, y.High = float64(e.Value.Low), float64(e.Value.High)
	}
	return figure.Point{X: figure.Exact(x), Y: y}, true
}
