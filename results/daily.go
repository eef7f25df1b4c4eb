package results

import (
	"fmt"
	"math"

	"dgsbench/internal/lists"
	"dgsbench/metrics"
	"dgsbench/results/figure"
	"dgsbench/results/record"
	"dgsbench/results/table"
)

// mostSpans is how many spans of days are shown of a test part.
const mostSpans = 40

// span is a number of days of the test part, counted from 1.
type span struct{ first, last int }

func (s span) metric() string { return metrics.Name("auc@day", s.first, "-", s.last) }

// spansOf returns those of a record: days, or joined to weeks and more where they
// are many; none where its days are not known.
func spansOf(r record.Record) (spans []span) {
	const test = 2
	if r.Data == nil || len(r.Data.Parts) <= test {
		return nil
	}
	days := len(r.Data.Parts[test].Days)
	length := (days + mostSpans - 1) / mostSpans
	for _, usual := range []int{1, 2, 7, 14, 28, 91, 364} {
		if usual >= length {
			length = usual
			break
		}
	}
	for first := 1; first <= days; first += length {
		spans = append(spans, span{first, min(first+length-1, days)})
	}
	return spans
}

func dailyMetrics(r record.Record) []string { return lists.Map(spansOf(r), span.metric) }

// String returns "3" or "8-14".
func (s span) String() string {
	if s.first == s.last {
		return fmt.Sprint(s.first)
	}
	return fmt.Sprintf("%d-%d", s.first, s.last)
}

// dailyLine is a row: a span of a dataset's days, none where they are not known.
type dailyLine struct {
	d     DatasetHead
	spans []span
	facts metrics.Facts // of the test part, of some model
}

// dailyOutput has the AUC of every day of the test part: a row a day and a column a
// model.
func dailyOutput(r request) (Output, error) {
	s, err := newCurves(r, []string{"auc"})
	if err != nil {
		return Output{}, err
	}
	t := grid[dailyLine]{Table: s.Table}
	t.Heads = 2
	inDays := func(of func(metrics.Facts) int) func(dailyLine) table.Entry {
		return func(l dailyLine) table.Entry {
			if len(l.spans) == 0 || l.facts.Days == nil {
				return text("")
			}
			return table.Entry{Text: fmt.Sprint(of(l.facts.OfDays(l.spans[0].first, l.spans[0].last)))}
		}
	}
	t.add(table.Column{Head: "dataset"}, func(l dailyLine) table.Entry {
		e := table.Entry{Text: l.d.Title}
		if len(l.spans) == 0 {
			e.Notes = s.Note("AUC by day is " + metrics.ErrNoDays.Error())
		}
		return e
	})
	t.add(table.Column{Head: "day", Right: true}, func(l dailyLine) table.Entry {
		if len(l.spans) == 0 {
			return text("")
		}
		return text(l.spans[0].String())
	})
	t.add(table.Column{Head: "events", Right: true}, inDays(metrics.Facts.Len))
	t.add(table.Column{Head: "positives", Right: true}, inDays(metrics.Facts.Positives))
	for _, at := range s.all("") {
		notes := s.Note(classNotes[at.model.Class])
		t.add(table.Column{Kind: table.Measured, Group: at.model.Title, Metric: "AUC", Head: "AUC %", Notes: notes}, func(l dailyLine) table.Entry {
			if len(l.spans) == 0 {
				return table.Entry{}
			}
			return s.point(l.d, at, l.spans[0].metric())
		})
	}
	var panels []figure.Panel
	for _, d := range s.Datasets {
		whole, err := s.dailyLine(d)
		if err != nil {
			return Output{}, err
		}
		if whole == nil {
			continue
		}
		lines := []dailyLine{*whole}
		if n := len(whole.spans); n > 0 {
			lines = make([]dailyLine, n)
			for i := range lines {
				lines[i] = dailyLine{d, whole.spans[i : i+1], whole.facts}
			}
			panels = append(panels, s.dailyPanel(*whole))
		}
		t.addBlock(lines...)
	}
	if len(t.Blocks) == 0 {
		return Output{}, nil
	}
	t.Notes = s.Notes
	t.Legend = []string{
		"day: 24 hours counted from the first event of the stream, numbered from that of the first test event",
		"±: standard deviation over seeds (n-1)",
		noValueLegend + ", as of a day with a single class",
	}
	t.Legend = append(t.Legend, intervalLegend(t.Table)...)
	return s.withFigure(t.Table, pageWidth, panels, "AUC of the events of each day of the test part, with the interval that the table has")
}

// dailyLine returns all days of a dataset; nil where nothing was measured.
func (s *scores) dailyLine(d DatasetHead) (*dailyLine, error) {
	var line *dailyLine
	for _, at := range s.all("") {
		c := s.cell(d, at)
		if c == nil || c.Seeds == 0 || line != nil && len(line.spans) > 0 {
			continue
		}
		facts, err := s.testFacts(c)
		if err != nil || len(facts) == 0 {
			return line, err
		}
		line = &dailyLine{d, spansOf(c.records[0]), facts[0]}
	}
	return line, nil
}

// dailyPanel draws a line a model, beside each other so that intervals can be told
// apart. A day without a value interrupts it.
func (s *scores) dailyPanel(l dailyLine) figure.Panel {
	p := figure.Panel{
		Group: l.d.ID, Title: s.panelTitle(l.d), X: figure.Axis{Label: "day of the test part", Scale: figure.Whole},
		Y: figure.Axis{Label: "AUC (%) of the events of a day"},
	}
	models := s.all("")
	apart := min(.06, .6/float64(len(models)))
	for i, at := range models {
		var points []figure.Point
		drawn := false
		for _, sp := range l.spans {
			x := float64(sp.first+sp.last)/2 + apart*float64(sp.last-sp.first+1)*(float64(i)-float64(len(models)-1)/2)
			pt, ok := asPoint(x, s.point(l.d, at, sp.metric()))
			if drawn = drawn || ok; !ok {
				pt = figure.At(x, math.NaN())
			}
			points = append(points, pt)
		}
		if drawn {
			line := s.lineOf(at.model, points)
			line.Mark = figure.Dot
			p.Series = append(p.Series, line)
		}
	}
	// Whole days, with room for what is beside the first and the last one.
	p.X.Min, p.X.Max = .5, float64(l.spans[len(l.spans)-1].last)+.5
	return p
}
