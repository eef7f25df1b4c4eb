package results

import (
	"fmt"
	"slices"

	"dgsbench/metrics"
	"dgsbench/results/figure"
	"dgsbench/results/record"
	"dgsbench/results/table"
)

// groups is how many groups of events a calibration curve has.
const groups = 10

func tenth(what string, n int) string { return metrics.Name(what+"@", n, "/", groups) }

var noLogOdds = "calibration is " + metrics.ErrNoLogOdds.Error()

func calibrationMetrics(record.Record) (names []string) {
	for n := range groups {
		names = append(names, tenth("predicted", n+1), tenth("observed", n+1))
	}
	return names
}

// calibrationOutput has for each model ten groups of events, in order of their
// score: the mean predicted probability and the share of positives.
func calibrationOutput(r request) (Output, error) {
	s, err := newCurves(r, calibrationMetrics(record.Record{}))
	if err != nil || s.empty() {
		return Output{}, err
	}
	type line struct {
		scoreRow
		n int // of the group; 0 without probabilities
	}
	t := grid[line]{Table: s.Table}
	t.Heads = 2
	t.add(table.Column{Head: "model"}, func(l line) table.Entry {
		e := table.Entry{Text: l.model.Title, Notes: s.Note(classNotes[l.model.Class])}
		if l.n == 0 {
			e.Notes = append(e.Notes, s.Note(s.uncalibrated(l.model))...)
		}
		return e
	})
	t.add(table.Column{Head: "tenth"}, func(l line) table.Entry {
		if l.n == 0 {
			return text("")
		}
		return text(fmt.Sprint(l.n))
	})
	measured := func(d DatasetHead, at scoreRow) bool {
		_, ok := s.cell(d, at).testRow(d, "auc")
		return ok
	}
	probable := func(d DatasetHead, at scoreRow) bool { // in some tenth: levels of scores may leave others empty
		row, _ := s.cell(d, at).testRow(d, "auc")
		return !row.Degenerate && slices.ContainsFunc(calibrationMetrics(record.Record{}), func(metric string) bool { return s.point(d, at, metric).Value != nil })
	}
	for _, d := range s.Datasets {
		var notes []int
		in := func(test func(DatasetHead, scoreRow) bool) bool {
			return slices.ContainsFunc(s.all(""), func(at scoreRow) bool { return test(d, at) })
		}
		if in(measured) && !in(probable) {
			notes = s.Note(noLogOdds)
		}
		for _, what := range []string{"predicted", "observed"} {
			t.add(table.Column{Kind: table.Measured, Group: d.heading(), Metric: what, Head: what + " %", Notes: notes}, func(l line) table.Entry {
				e := s.point(d, l.scoreRow, tenth(what, l.n))
				if what == "predicted" && e.Value != nil { // its intervals are no error of the model
					e.Value = table.NewValue(e.Value.Mean, 2)
				}
				return e
			})
		}
	}
	var panels []figure.Panel
	for _, d := range s.Datasets {
		if p := s.calibrationPanel(d); len(p.Series) > 0 {
			panels = append(panels, p)
		}
	}
	for _, at := range s.all("") {
		on := func(test func(DatasetHead, scoreRow) bool) bool {
			return slices.ContainsFunc(s.Datasets, func(d DatasetHead) bool { return test(d, at) })
		}
		switch {
		case on(probable):
			var lines []line
			for n := range groups {
				lines = append(lines, line{at, n + 1})
			}
			t.addBlock(lines...)
		case on(measured):
			t.addBlock(line{at, 0})
		}
	}
	t.Notes = s.Notes
	t.Legend = []string{
		"tenth: of the labelled test events in order of their score, the lowest first",
		"predicted: the mean of the model's probabilities; observed: the share of positives",
		"±: standard deviation over seeds (n-1)",
		noValueLegend,
	}
	t.Legend = append(t.Legend, intervalLegend(t.Table)...)
	return s.withFigure(t.Table, pageWidth/2, panels, "Share of positives among a tenth of the events, in order of their score, against the mean of their predicted "+
		"probabilities, with the interval that the table has; on the dashed line both are the same")
}

// uncalibrated returns why a model has no curve.
func (s *scores) uncalibrated(m ModelHead) string {
	for _, d := range s.Datasets {
		if row, _ := s.cell(d, scoreRow{"", m}).testRow(d, "auc"); row.Degenerate {
			return row.Caveat + ": the model is not shown"
		}
	}
	return noLogOdds
}

func (s *scores) calibrationPanel(d DatasetHead) figure.Panel {
	p := figure.Panel{Group: d.ID, Title: s.panelTitle(d), X: figure.Axis{Label: "mean predicted probability (%)"}, Y: figure.Axis{Label: "positives (% of the events of a tenth)"}}
	highest := 0.0
	for _, at := range s.all("") {
		var points []figure.Point
		for n := range groups {
			x := s.point(d, at, tenth("predicted", n+1))
			if x.Value == nil {
				continue
			}
			if pt, ok := asPoint(float64(x.Value.Mean), s.point(d, at, tenth("observed", n+1))); ok {
				points = append(points, pt)
				highest = max(highest, pt.X.Mean, pt.Y.High)
			}
		}
		if len(points) > 0 {
			line := s.lineOf(at.model, points)
			line.Mark = figure.Dot
			p.Series = append(p.Series, line)
		}
	}
	if len(p.Series) > 0 {
		same := figure.Series{Name: "predicted = observed", Color: figure.Grey, Line: figure.Dashed, Points: []figure.Point{figure.At(0, 0), figure.At(highest, highest)}}
		p.Series = append(p.Series, same)
	}
	return p
}
