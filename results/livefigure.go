package results

import (
	"fmt"
	"math"

	"dgsbench/internal/lists"
	"dgsbench/protocol"
	"dgsbench/results/figure"
)

// draw returns the figure of a table: the metric against the rate, and the response time
// against the rate where there are enough answers. Nothing is drawn where no model
// has a value.
func (l *livePlace) draw(name string) ([]figure.Figure, error) {
	var panels []figure.Panel
	for _, p := range []figure.Panel{l.metricPanel(), l.timePanel()} {
		if len(p.Series) > 0 {
			panels = append(panels, p)
		}
	}
	if len(panels) == 0 {
		return nil, nil
	}
	f, err := figure.Draw(figure.Size{Width: pageWidth / 2, Height: 10}, 2, panels)
	f.Name, f.Title = name, l.title()
	f.Caption = l.first.metric.Title + " of the answers, and the 99.9th percentile of response times, against the rate at which events are due"
	if len(l.first.load.Limits) > 0 {
		f.Caption += fmt.Sprintf("; hollow: overloaded, or more than 0.1%% of the answers later than %s", l.first.load.Limits[0])
	} else {
		f.Caption += "; hollow: overloaded"
	}
	f.Caption += ". Dashed, from the left edge: the same events one by one. Made by: " + l.Command
	return []figure.Figure{f}, err
}

// title returns that of the place's table.
func (l *livePlace) title() string { return l.Title + " on " + l.dataset.Title + ", " + l.what() }

// panel returns one with an axis of rates.
func (l *livePlace) panel(y figure.Axis) figure.Panel {
	return figure.Panel{
		Group: l.dataset.ID, Title: panelTitle(l.dataset, l.first.Footnotes) + ", " + l.what(),
		X: figure.Axis{Label: "events due in a second, logarithmic", Scale: figure.Log}, Y: y,
	}
}

// metricPanel has a line a model, which begins with answers one by one to the events of
// the lowest rate.
func (l *livePlace) metricPanel() figure.Panel {
	p := l.panel(figure.Axis{Label: l.first.metric.Title + " (%)"})
	informative := func(x livePoint) bool { return x.metric.Present() && x.caveat == "" }
	for _, test := range l.tests {
		if test.model.Class != protocol.Null {
			l.addLine(&p, test, func(x livePoint) (y float64, ok bool) { return 100 * float64(x.metric), informative(x) })
		}
	}
	if len(p.Series) == 0 {
		return p
	}
	lowest, _ := ratesOf(p)
	for _, test := range l.tests {
		first, ok := lists.Find(test.points, informative)
		if test.model.Class == protocol.Null || !ok {
			continue
		}
		points := []figure.Point{figure.At(lowest/2, 100*float64(first.alone)), figure.At(float64(first.Rate), 100*float64(first.metric))}
		p.Series = append(p.Series, figure.Series{Color: l.color(test.model), Line: figure.Dashed, Points: points})
	}
	return p
}

// timePanel has a line a model, and one for each limit.
func (l *livePlace) timePanel() figure.Panel {
	p := l.panel(figure.Axis{Label: "99.9th percentile of response times, logarithmic", Scale: figure.Times})
	for _, test := range l.tests {
		l.addLine(&p, test, func(x livePoint) (y float64, ok bool) { return 1e9 * float64(x.tail()), x.tail().Present() })
	}
	if len(p.Series) == 0 {
		return p
	}
	low, high := ratesOf(p)
	for i, text := range l.first.load.Limits {
		y := float64(l.first.limit(i))
		p.Series = append(p.Series, figure.Series{
			Name: "limit " + text, Color: figure.Grey, Line: figure.Dashed, Points: []figure.Point{figure.At(low/1.5, y), figure.At(1.5*high, y)},
		})
	}
	return p
}

// ratesOf returns the ends of the rates that are drawn.
func ratesOf(p figure.Panel) (low, high float64) {
	low = math.Inf(1)
	for _, s := range p.Series {
		for _, pt := range s.Points {
			low, high = min(low, pt.X.Mean), max(high, pt.X.Mean)
		}
	}
	return low, high
}

// addLine adds the points of a test: those within the first limit are filled, others
// hollow.
func (l *livePlace) addLine(p *figure.Panel, test *LiveTest, value func(livePoint) (float64, bool)) {
	var all, beyond []figure.Point
	for _, x := range test.points {
		y, ok := value(x)
		if !ok {
			continue
		}
		all = append(all, figure.At(float64(x.Rate), y))
		if !x.isWithin() {
			beyond = append(beyond, figure.At(float64(x.Rate), y))
		}
	}
	if len(all) == 0 {
		return
	}
	line := l.lineOf(test.model, all)
	line.Mark = figure.Dot
	hollow := line
	hollow.Name, hollow.Line, hollow.Mark, hollow.Points = "", figure.NoLine, figure.Ring, beyond
	p.Series = append(p.Series, line, hollow)
}
