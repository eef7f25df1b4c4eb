package figure

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"strings"
)

// Sizes in the units of a chart's own coordinates.
const (
	chartWidth  = 330
	chartHeight = 142
	topMargin   = 18 // for the panel's title
	footMargin  = 20 // for the numbers below it
	leftMargin  = 44 // for the numbers beside it
	rightMargin = 8
	dot         = 3
)

// Chart is a small drawing of one or two panels beside each other, as a part of
// a page. Its colours are those of the page. Where an axis ends before the data,
// lines are cut off, and the most extreme value stands at that edge.
type Chart struct {
	ID, Title   string
	Description string // what the lines and marks are, for those who cannot see them
	Summary     string // its numbers, in a sentence
	Panels      []Panel
}

//go:embed chart.html
var chartHTML string

var chartTemplate = template.Must(template.New("chart").Parse(chartHTML))

// The values of the template: numbers and paths are those of SVG.
type (
	chartView struct {
		Chart
		Width, Height int
		Inner, Foot   int // width of a panel, and height of the numbers below it
		// The box at whose edges lines are cut off, with room for whole dots.
		CutTop, CutWidth, CutHeight int
		Panes                       []pane
	}
	pane struct {
		Name           string
		Left           int
		XTicks, YTicks []tick
		Paths          []path
		Cut            []edge

		x, y  Axis
		width float64
	}
	tick struct{ At, Label string }
	path struct{ Class, D string }
	edge struct{ X, Y, Anchor, Label string }
)

// HTML returns the chart as a figure of HTML.
func (c Chart) HTML() (template.HTML, error) {
	var out bytes.Buffer
	err := chartTemplate.Execute(&out, c.view())
	return template.HTML(out.String()), err
}

func (c Chart) view() chartView {
	v := chartView{
		Chart: c, Width: chartWidth, Height: chartHeight, Inner: chartWidth/len(c.Panels) - leftMargin - rightMargin, Foot: chartHeight - 6,
	}
	v.CutTop, v.CutWidth, v.CutHeight = topMargin-dot, v.Inner+2*dot, chartHeight-topMargin-footMargin+2*dot
	for i, panel := range c.Panels {
		p := pane{Name: panel.Title, Left: i*chartWidth/len(c.Panels) + leftMargin, width: float64(v.Inner)}
		panel.Series = panel.drawable()
		p.x, p.y = panel.fitted()
		p.XTicks, p.YTicks = p.x.labels(p.across), p.y.labels(p.up)
		for _, s := range panel.Series {
			p.add(s.Class, p.data(s))
		}
		p.Cut = p.cuts(panel)
		v.Panes = append(v.Panes, p)
	}
	return v
}

// cuts returns an arrow with the most extreme value for each end of the vertical
// axis that some points lie beyond.
func (p *pane) cuts(panel Panel) (out []edge) {
	lowest, highest := At(0, p.y.Min), At(0, p.y.Max)
	for _, s := range panel.Series {
		for _, pt := range s.Points {
			if pt.Y.Mean < lowest.Y.Mean {
				lowest = pt
			}
			if pt.Y.Mean > highest.Y.Mean {
				highest = pt
			}
		}
	}
	mark := func(arrow string, pt Point, y float64) {
		x, anchor := p.across(pt.X.Mean)+10, "start"
		if x > p.width/2 {
			x, anchor = x-20, "end"
		}
		out = append(out, edge{coordinate(x), coordinate(y), anchor, arrow + digits(pt.Y.Mean)})
	}
	if lowest.Y.Mean < p.y.Min {
		mark("↓ ", lowest, p.up(p.y.Min)-3)
	}
	if highest.Y.Mean > p.y.Max {
		mark("↑ ", highest, p.up(p.y.Max)+9)
	}
	return out
}

// labels returns the labelled ticks of an axis; numbers have no more than four
// digits.
func (a Axis) labels(position func(float64) float64) []tick {
	var out []tick
	for _, t := range a.ticks() {
		if t.Label != "" && a.Scale == Linear && a.Names == nil {
			t.Label = digits(t.Value)
		}
		if t.Label != "" {
			out = append(out, tick{coordinate(position(t.Value)), t.Label})
		}
	}
	return out
}

func (p *pane) across(x float64) float64 { return p.x.Share(x) * p.width }

func (p *pane) up(y float64) float64 {
	const inner = chartHeight - topMargin - footMargin
	return topMargin + (1-p.y.Share(y))*inner
}

// data returns what is drawn of a series. A point by itself, on a line or as a
// Dot, is a line of no length; a Triangle differs in more than its colour.
func (p *pane) data(s Series) string {
	var d strings.Builder
	drawing := false
	level := "" // of the point before
	for _, pt := range s.Points {
		x, y := coordinate(p.across(pt.X.Mean)), coordinate(p.up(pt.Y.Mean))
		switch {
		case !finite(pt.Y.Mean):
			drawing = false
		case s.Mark == Box:
			low, high := coordinate(p.up(pt.Y.Low)), coordinate(p.up(pt.Y.High))
			fmt.Fprintf(&d, "M%s %sV%sH%sV%sz", coordinate(p.across(pt.X.Low)), low, high, coordinate(p.across(pt.X.High)), low)
		case s.Mark == Triangle:
			fmt.Fprintf(&d, "M%s %sl4 7h-8z", x, coordinate(p.up(pt.Y.Mean)-4))
		case drawing && s.Line == Steps:
			fmt.Fprintf(&d, "L%s %sL%s %s", x, level, x, y)
		case drawing:
			fmt.Fprintf(&d, "L%s %s", x, y)
		default:
			fmt.Fprintf(&d, "M%s %sh0", x, y)
			drawing = s.Line != NoLine
		}
		level = y
	}
	return d.String()
}

// add puts a path over those before it, or extends the last one.
func (p *pane) add(class, d string) {
	last := len(p.Paths) - 1
	switch {
	case d == "":
	case last >= 0 && p.Paths[last].Class == class:
		p.Paths[last].D += d
	default:
		p.Paths = append(p.Paths, path{class, d})
	}
}

// coordinate formats a number briefly: a tenth of a unit cannot be seen.
func coordinate(x float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", x), ".0")
}
