package page

import (
	"fmt"
	"strings"
)

// Sizes in the units of a chart's own coordinates.
const (
	chartWidth  = 330
	chartHeight = 142
	topMargin   = 18 // for the pane's name
	footMargin  = 20 // for the numbers below it
	leftMargin  = 44 // for the numbers beside it
	rightMargin = 8
)

// chart is a small drawing: one or two panes beside each other. Its colours
// are those of the page.
type chart struct {
	ID, Title string
	Drawn     string // what the lines and marks are, for those who cannot see them
	Says      string // its numbers, in a sentence
	Panes     []*pane
}

// Width, Height and Foot, where the numbers below the panes stand, are for the
// template.
func (c chart) Width() int  { return chartWidth }
func (c chart) Height() int { return chartHeight }
func (c chart) Foot() int   { return chartHeight - 6 }

// Inner is the width of a pane between its margins.
func (c chart) Inner() int { return chartWidth/len(c.Panes) - leftMargin - rightMargin }

// newChart has as many panes as names.
func newChart(id, title string, names ...string) chart {
	c := chart{ID: id, Title: title}
	for _, name := range names {
		c.Panes = append(c.Panes, &pane{Name: name})
	}
	for i, p := range c.Panes {
		p.Left, p.width = i*chartWidth/len(names)+leftMargin, float64(c.Inner())
	}
	return c
}

// pane is a part of a chart with axes of its own.
type pane struct {
	Name           string
	Left           int
	XTicks, YTicks []tick
	Paths          []path

	width float64
	x, y  axis
}

// tick is a labelled place on an axis.
type tick struct {
	At    string
	Label string
}

// path is what is drawn in one way; D is the path's data as SVG has it.
type path struct{ Class, D string }

// axes sets what the pane spans and writes the numbers at its sides.
func (p *pane) axes(x, y axis) {
	p.x, p.y = x, y
	for _, v := range x.ticks() {
		p.XTicks = append(p.XTicks, tick{coordinate(p.across(v)), x.text(v)})
	}
	for _, v := range y.ticks() {
		p.YTicks = append(p.YTicks, tick{coordinate(p.up(v)), y.text(v)})
	}
}

func (p *pane) across(x float64) float64 { return p.x.share(x) * p.width }

func (p *pane) up(y float64) float64 {
	const inner = chartHeight - topMargin - footMargin
	return topMargin + (1-p.y.share(y))*inner
}

// point is a place in a pane, in the units of its axes.
type point struct{ x, y float64 }

// lines draws each of the lines through its points. What is not finite
// interrupts a line, and a point by itself is a dot.
func (p *pane) lines(class string, lines ...[]point) {
	var d strings.Builder
	for _, line := range lines {
		drawing := false
		for _, at := range line {
			if !finite(at.y) {
				drawing = false
				continue
			}
			move := "L"
			if !drawing {
				move = "M"
			}
			fmt.Fprintf(&d, "%s%s %s", move, coordinate(p.across(at.x)), coordinate(p.up(at.y)))
			if !drawing {
				d.WriteString("h0")
			}
			drawing = true
		}
	}
	p.add(class, d.String())
}

// dots marks points.
func (p *pane) dots(class string, points []point) {
	for _, at := range points {
		p.lines(class, []point{at})
	}
}

// triangles marks points with shapes that are not told by colour alone.
func (p *pane) triangles(class string, points []point) {
	var d strings.Builder
	for _, at := range points {
		fmt.Fprintf(&d, "M%s %sl4 7h-8z", coordinate(p.across(at.x)), coordinate(p.up(at.y)-4))
	}
	p.add(class, d.String())
}

// bar is a height between two places.
type bar struct{ from, to, height float64 }

func (p *pane) bars(class string, bars []bar) {
	var d strings.Builder
	for _, b := range bars {
		left, right := p.across(b.from), p.across(b.to)
		fmt.Fprintf(&d, "M%s %sV%sH%sV%sz", coordinate(left), coordinate(p.up(0)), coordinate(p.up(b.height)), coordinate(right), coordinate(p.up(0)))
	}
	p.add(class, d.String())
}

// add puts a path over those before it, or goes on with the last one.
func (p *pane) add(class, d string) {
	if d == "" {
		return
	}
	if last := len(p.Paths) - 1; last >= 0 && p.Paths[last].Class == class {
		p.Paths[last].D += d
		return
	}
	p.Paths = append(p.Paths, path{class, d})
}

// coordinate is short: a tenth of a unit cannot be seen.
func coordinate(x float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", x), ".0")
}
