// Package figure draws points, lines and boxes with their intervals, in panels
// with axes: as SVG and PNG (Draw), and as small charts of a page, which take
// their colours from it (Chart). DrawRanks draws values on one axis and which of them
// are joined. What they mean it does not know.
package figure

import (
	"html/template"
	"math"
	"slices"
	"strings"

	"dgsbench/internal/escape"
)

// Figure is a drawing with its title and caption.
type Figure struct {
	Name    string // of its files, without an ending
	Table   string // with its numbers, if that has another name
	Title   string
	Caption string
	SVG     []byte
	Panels  []PanelDrawing // each by itself, in their order

	png func() ([]byte, error)
}

// PNG draws the figure as a picture, which takes longer than the rest; nil of a figure
// that was not drawn here.
func (f Figure) PNG() ([]byte, error) {
	if f.png == nil {
		return nil, nil
	}
	return f.png()
}

// PanelDrawing is a panel drawn by itself, with all that is needed to read it.
type PanelDrawing struct {
	Group string // see Panel
	Title string
	SVG   []byte
}

// Inline returns the drawing as a part of a page, named for those who cannot
// see it.
func (f Figure) Inline() template.HTML { return inline(f.SVG, f.Title) }

// Inline returns the panel as a part of a page.
func (p PanelDrawing) Inline() template.HTML { return inline(p.SVG, p.Title) }

// inline replaces tabs, which separate attributes and which a page would show as
// signs, because texts may not have them.
func inline(svg []byte, title string) template.HTML {
	_, drawing, _ := strings.Cut(strings.ReplaceAll(string(svg), "\t", " "), "<svg")
	return template.HTML(`<svg role="img" aria-label="` + escape.HTML(title) + `"` + drawing)
}

// Panel is a part of a figure with axes of its own. Series are drawn in their
// order, all lines before all marks.
type Panel struct {
	Group  string // what the panel is about, such as the id of a dataset; may be empty
	Title  string
	X, Y   Axis
	Series []Series
}

// Axis spans the values from Min to Max; where these are equal, all values
// that are drawn, and 6% more on both sides unless the scale is Whole.
type Axis struct {
	Label    string
	Min, Max float64
	Scale    Scale
	Names    []string // written under 0, 1, 2 ... instead of numbers
}

// Scale determines where values lie on an axis, and which of them are labelled.
type Scale int

// The logarithmic scales are of positive values: Log of any, Times of
// nanoseconds. Whole has labels at whole numbers only.
const (
	Linear Scale = iota
	Whole
	Log
	Times
)

// Series are points that are drawn alike.
type Series struct {
	Name  string // in the legend; empty for none
	Color int    // in a figure: its number (each has its own mark and dashes, too), or see Blue
	Class string // in a chart: that of the page's style sheet
	Mark  Mark
	Line  Line
	// Points are drawn, with bars where they have intervals, unless their Y is
	// not finite, or not positive on a logarithmic axis; such a point interrupts a line.
	Points []Point
}

// Mark is drawn at every point.
type Mark int

// A Ring is hollow, and a Box is the rectangle of the point's intervals.
const (
	NoMark Mark = iota
	Dot
	Ring
	Triangle
	Box
)

// Line connects the points.
type Line int

// Steps lead to the next point on the level of the last one.
const (
	NoLine Line = iota
	Solid
	Dashed
	Steps
)

// Point is a point with an optional label near it, or in the legend where some
// label of the panel has no place.
type Point struct {
	X, Y  Value
	Label string
}

// Value is a coordinate with an interval, which is drawn where it has a width.
type Value struct{ Mean, Low, High float64 }

// Exact returns a value without interval.
func Exact(x float64) Value { return Value{x, x, x} }

// At returns a point without intervals and label.
func At(x, y float64) Point { return Point{X: Exact(x), Y: Exact(y)} }

// Colours by name. All are from the palette of Okabe and Ito, which people with any
// kind of colour vision can distinguish.
const (
	Grey = -1 - iota
	Orange
	Blue
)

// fitted returns the axes of the panel with their ends.
func (p Panel) fitted() (x, y Axis) {
	var xs, ys []float64
	for _, s := range p.Series {
		for _, pt := range s.Points {
			xs, ys = append(xs, pt.X.Low, pt.X.High), append(ys, pt.Y.Low, pt.Y.High)
		}
	}
	return p.X.fitted(xs), p.Y.fitted(ys)
}

// fitted returns the axis with its ends.
func (a Axis) fitted(values []float64) Axis {
	if a.Min != a.Max {
		return a
	}
	values = slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return !a.has(v) })
	low, high := ends(values)
	switch {
	case a.logarithmic() && low > high:
		a.Min, a.Max = 1, 10
	case a.logarithmic():
		room := max(math.Pow(high/low, .06), 1.1)
		a.Min, a.Max = max(math.SmallestNonzeroFloat64, low/room), min(math.MaxFloat64, high*room)
	case a.Scale == Whole && low <= high:
		a.Min, a.Max = math.Floor(low), math.Ceil(high)
	default:
		a.Min, a.Max = Around(values)
	}
	return a
}

// Around returns the ends of a linear axis for the finite ones of the values.
func Around(values []float64) (low, high float64) {
	low, high = ends(values)
	if low > high {
		return 0, 1
	}
	room := .06*high - .06*low
	if room == 0 {
		room = max(.01*math.Abs(high), 1e-9)
	}
	return max(-math.MaxFloat64, low-room), min(math.MaxFloat64, high+room)
}

// ends returns those of the finite values; low > high where there are none.
func ends(values []float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if finite(v) {
			low, high = min(low, v), max(high, v)
		}
	}
	return low, high
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
